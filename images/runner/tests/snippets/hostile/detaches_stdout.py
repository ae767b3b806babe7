# Detaches sys.stdout
import sys
raw = sys.stdout.detach()
raw.write(b"raw\n")
raw.flush()
print("cannot be printed")
