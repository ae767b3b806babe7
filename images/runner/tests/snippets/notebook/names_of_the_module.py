# What a module has by itself
print(__name__, __builtins__.__name__, __doc__, __spec__, __package__)
print(sorted(name for name in dir() if name.startswith("__")))
import __main__
x = 1
print(__main__.x, globals() is vars(__main__), __annotations__)
