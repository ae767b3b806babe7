# Prints text that UTF-8 cannot encode
# Why: Output is UTF-8: what cannot be encoded is escaped instead of failing the run.
print("\ud800")
