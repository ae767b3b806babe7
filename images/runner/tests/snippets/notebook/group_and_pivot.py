# groupby, pivot_table and merge
import pandas as pd
df = pd.DataFrame({"k": list("xyxy"), "m": [1, 1, 2, 2], "v": [1, 2, 3, 4]})
print(df.groupby("k")["v"].agg(["sum", "mean"]))
print(df.pivot_table(index="k", columns="m", values="v"))
print(df.merge(pd.DataFrame({"k": ["x"], "name": ["first"]}), how="left"))
