# Streams around the buffers, not flushed by the code
import io, sys
out = io.TextIOWrapper(sys.stdout.buffer, encoding="latin-1")
out.write("caf\u00e9 ")
raw = open(1, "wb", closefd=False)
raw.write(b"bytes\n")
print("printed")
