# Closes all descriptors
import os
os.write(1, b"before\n")
os.closerange(0, 4096)
raise ValueError("nobody hears this")
