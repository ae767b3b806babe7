# A warning of pandas names the line of the script
import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3]})
df["a"][0] = 5
print(df)
