# Sends itself SIGPIPE
import os, signal, time
print("before", end=" ")
os.kill(os.getpid(), signal.SIGPIPE)
time.sleep(0.1)
print("after")
