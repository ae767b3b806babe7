# Sends itself SIGKILL
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGKILL)
time.sleep(0.1)
print("after")
