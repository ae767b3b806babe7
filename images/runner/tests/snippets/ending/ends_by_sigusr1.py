# Sends itself SIGUSR1
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGUSR1)
time.sleep(0.1)
print("after")
