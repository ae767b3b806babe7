# __del__ at the end, in the order of Python
class Named:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        print("gone", self.name)
a = Named("a")
_b = Named("_b")
c = [Named("in a list")]
cycle = Named("cycle")
cycle.self = cycle
del a
print("end")
