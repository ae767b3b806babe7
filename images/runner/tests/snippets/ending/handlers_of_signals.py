# Handlers of signals
import os, signal
print(signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
signal.signal(signal.SIGTERM, lambda number, frame: print("got", number, frame.f_lineno))
os.kill(os.getpid(), signal.SIGTERM)
signal.alarm(1)
signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("alarm")))
signal.pause()
