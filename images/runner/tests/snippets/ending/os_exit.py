# os._exit in the middle of a line
import atexit, os
atexit.register(print, "never")
print("part of a line", end="")
os._exit(5)
