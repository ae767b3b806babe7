# Sends itself SIGSEGV
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGSEGV)
time.sleep(0.1)
print("after")
