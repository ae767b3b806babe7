# Dates, resampling and time zones
import time
import pandas as pd
index = pd.date_range("2024-03-30", periods=4, freq="12h", tz="Europe/Berlin")
series = pd.Series(range(4), index=index)
print(series)
print(series.resample("D").sum())
print(index.tz_convert("UTC")[0], time.tzname, pd.Timestamp(0, unit="s"))
