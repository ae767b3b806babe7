# polars and DuckDB over a pandas frame
import duckdb
import pandas as pd
import polars as pl
df = pd.DataFrame({"g": ["a", "b", "a"], "x": [1, 2, 3]})
print(pl.from_pandas(df).group_by("g").agg(pl.col("x").sum()).sort("g"))
print(duckdb.sql("select g, sum(x) as x from df group by g order by g"))
