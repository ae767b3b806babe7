# Forks; the child ends by sys.exit and by an exit handler
import atexit, os, sys
atexit.register(lambda: print("handler of", "child" if os.getpid() != parent else "parent"))
parent = os.getpid()
pid = os.fork()
if pid == 0:
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
