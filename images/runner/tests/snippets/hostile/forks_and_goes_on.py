# Forks; the child writes and ends first
import os, sys
print("parent")
pid = os.fork()
if pid == 0:
    print("child")
    raise ValueError("of the child")
os.waitpid(pid, 0)
print("parent again")
