# A column that does not exist
import pandas as pd
df = pd.DataFrame({"amount": [1]})
print("before")
print(df["amuont"])
