# Changes limits and hooks of the interpreter
import builtins, gc, sys
sys.setrecursionlimit(200)
gc.disable()
sys.settrace(None)
sys.tracebacklimit = 1
builtins.open = None
sys.displayhook = None
sys.unraisablehook = lambda event: print("unraisable", event.exc_value)
class Bad:
    def __del__(self):
        raise ValueError("in del")
Bad()
def outer():
    inner()
def inner():
    raise ValueError("with a short traceback")
outer()
