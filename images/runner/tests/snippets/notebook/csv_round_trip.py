# Files in the working directory, read back
import os
import pandas as pd
pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_csv("table.csv", index=False)
print(open("table.csv").read(), os.listdir("."))
print(pd.read_csv("table.csv").equals(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})))
