# describe, info and dtypes of a frame
import pandas as pd
df = pd.DataFrame({"region": list("abca"), "amount": [1.5, None, 3.0, 4.25]})
print(df)
print(df.describe())
df.info()
print(df.dtypes.to_string())
