# Sends itself SIGALRM
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGALRM)
time.sleep(0.1)
print("after")
