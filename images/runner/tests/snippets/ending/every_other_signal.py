# Each signal in a process of its own
import os, signal, sys
for number in sorted(signal.valid_signals()):
    if number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGRTMAX - 2):
        continue
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(7)
    print(int(number), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
