# Sends itself SIGHUP
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGHUP)
time.sleep(0.1)
print("after")
