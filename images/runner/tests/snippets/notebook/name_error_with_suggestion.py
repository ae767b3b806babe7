# A misspelled name, with Python's suggestion
values = [1, 2]
print(sum(valeus))
