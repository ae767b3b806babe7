# Objects that cannot be printed
class Bad:
    def __repr__(self):
        raise SystemError("no repr")
class Worse(Exception):
    def __str__(self):
        raise ValueError("no str")
try:
    print("a", Bad())
except SystemError as error:
    print("caught", error)
raise Worse()
