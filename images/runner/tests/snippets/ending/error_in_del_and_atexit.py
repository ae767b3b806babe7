# Errors in __del__ and in exit handlers are printed
import atexit
class Bad:
    def __del__(self):
        raise ValueError("in del")
bad = Bad()
del bad
atexit.register(lambda: 1 / 0)
print("end")
