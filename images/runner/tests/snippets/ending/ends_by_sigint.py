# Sends itself SIGINT
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.1)
print("after")
