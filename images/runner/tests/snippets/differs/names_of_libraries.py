# Uses pd, np and px without importing them
# Why: `pd`, `np`, `px`, `df` and `datasets` are there without an import.
print(pd.Series([1, 2]).sum(), np.arange(2), px.__name__)
