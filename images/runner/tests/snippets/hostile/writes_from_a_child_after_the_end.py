# A child that writes on until the parent has ended
import os, time
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.write(1, b"child\n")
    os.write(write, b"x")
    os._exit(0)
os.read(read, 1)
os.waitpid(pid, 0)
print("parent")
os._exit(0)
