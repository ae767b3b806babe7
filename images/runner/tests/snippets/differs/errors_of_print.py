# Errors of print and write in tracebacks that the code prints
# Why: `print`, `input` and `sys.exit` are replaced, so that each call makes one write, or its place is known: in a traceback that the code prints itself, they have a line. The reported traceback does not.
import sys, traceback
for call in (lambda: print(1, sep=2), lambda: sys.stdout.write(3), lambda: print(1, bad=2)):
    try:
        call()
    except TypeError:
        traceback.print_exc()
