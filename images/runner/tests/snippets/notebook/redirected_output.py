# redirect_stdout and StringIO
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as caught, contextlib.redirect_stderr(caught):
    print("inside", 1)
    import sys
    print("error", file=sys.stderr)
print(repr(caught.getvalue()))
print("to a file", file=open("out.txt", "w"))
print(open("out.txt").read())
