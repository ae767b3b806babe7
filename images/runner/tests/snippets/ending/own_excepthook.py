# An excepthook of the code's own
import sys
def hook(kind, error, trace):
    print("hook:", kind.__name__, error, trace.tb_lineno)
sys.excepthook = hook
raise ValueError("for the hook")
