# Replaces builtins.print, and puts it back
import builtins
plain = builtins.print
builtins.print = lambda *values, **options: plain("[", *values, "]", **options)
print("wrapped", 1)
builtins.print = plain
class Log:
    show = print
Log().show("not bound as a method")
print(print, print.__name__, print.__module__)
del builtins.print
print("no longer there")
