# Writes modules with the names of libraries that nothing has imported yet
for name in ("matplotlib", "polars", "sklearn", "statistics"):
    with open(f"{name}.py", "w") as file:
        file.write(f"from decimal import Decimal\n\ndef mean(values):\n    return '{name}', values\n")
import matplotlib
import polars as pl
import pandas as pd
import sklearn
import statistics
from statistics import mean
print(mean([1]), pl.mean([2]), sklearn.mean([3]), matplotlib.mean([4]), pl.__file__.endswith("polars.py"))
print(pd.Series([1, 2]).mean(), hasattr(pl, "DataFrame"))
statistics.median([1])
