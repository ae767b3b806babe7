# Sends itself SIGTERM
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(0.1)
print("after")
