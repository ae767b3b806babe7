# Closes all descriptors but the standard ones
import os
os.closerange(3, 4096)
print("before")
with open("file", "w") as file:
    print(file.fileno())
raise ValueError("still told")
