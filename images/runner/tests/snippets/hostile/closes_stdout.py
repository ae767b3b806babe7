# Closes sys.stdout and prints
import sys
print("before")
sys.stdout.close()
print("after")
