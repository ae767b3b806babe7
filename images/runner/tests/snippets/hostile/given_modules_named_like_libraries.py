# Imports files of its call with the names of libraries, of which one imports its namesake
import matplotlib.pyplot as plt
import pandas as pd
import statistics
print(statistics.mean(pd.Series([1, 2])), plt.figure())
try:
    import polars
except ImportError as error:
    print(error)
raise statistics.StatisticsError("mine")
