# Replaces sys.stdout and sys.stderr, and loses them
import io, sys
class Upper(io.TextIOWrapper):
    def write(self, text):
        return super().write(text.upper())
sys.stdout = Upper(sys.stdout.buffer, write_through=True)
print("shouted")
sys.stdout = sys.__stdout__
print("plain")
sys.stderr = None
raise ValueError("nobody prints this")
