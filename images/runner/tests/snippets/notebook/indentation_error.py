# Code with wrong indentation
if True:
print("never printed")
