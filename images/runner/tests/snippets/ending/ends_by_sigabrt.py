# Sends itself SIGABRT
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGABRT)
time.sleep(0.1)
print("after")
