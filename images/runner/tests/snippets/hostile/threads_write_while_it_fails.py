# Threads write while the code ends with an error
import sys, threading
go = threading.Event()
def write():
    go.wait()
    for i in range(200):
        sys.stderr.write("")
    print("thread done")
thread = threading.Thread(target=write)
thread.start()
sys.excepthook = (lambda plain: lambda *error: (plain(*error), go.set()))(sys.excepthook)
raise ValueError("main")
