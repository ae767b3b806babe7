# Files left open are written at the end
import atexit
file = open("one.txt", "w")
file.write("left open")
class Report:
    def __init__(self):
        self.me, self.out = self, open("/dev/stdout", "w")
    def __del__(self):
        print("closed by", type(self).__name__)
report = Report()
report.out.write("written to a stream of its own\n")
atexit.register(lambda: print("handler", open("one.txt").read() == ""))
