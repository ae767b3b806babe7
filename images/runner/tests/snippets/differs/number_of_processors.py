# Counts processors
# Why: A container may use as many as its class allows; Python before 3.13 counts those of the node.
import os

print(os.cpu_count())
