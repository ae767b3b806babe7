# More memory than there can be
print("before")
block = bytearray(2 ** 60)
