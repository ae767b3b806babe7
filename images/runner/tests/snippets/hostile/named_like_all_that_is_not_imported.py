# Fails after it has written a module for each name that nothing has imported yet
import sys
import pandas as pd
import matplotlib.pyplot as plt
class Last:
    def __del__(self):
        print("last")
last = Last()
names = {*sys.stdlib_module_names, "duckdb", "polars", "pyarrow", "seaborn", "tabulate"}
for name in names.difference(sys.modules):
    with open(f"{name}.py", "w") as file:
        file.write("print('imported', __name__)\n")
pd.DataFrame({"a": [1]}).to_csv("left.csv")
import statistics
pd.DataFrame({"a": [1]})["b"]
