# Tracebacks that the code prints itself
import sys, traceback
def fail():
    raise LookupError("x" * 3)
try:
    fail()
except LookupError:
    traceback.print_exc()
    print(traceback.format_exc().count("\n"), sys.exc_info()[2].tb_lineno)
traceback.print_stack()
