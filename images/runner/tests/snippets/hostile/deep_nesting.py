# Deeply nested data
nested = []
for _ in range(100_000):
    nested = [nested]
try:
    print(nested)
except RecursionError as error:
    print(error)
print(eval("(" * 90 + "1" + ")" * 90))
