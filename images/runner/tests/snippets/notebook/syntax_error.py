# Code that does not compile
print("never printed")
for i in range(3)
    print(i)
