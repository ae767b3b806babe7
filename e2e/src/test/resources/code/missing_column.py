
# This will cause an error
result = df['nonexistent_column'].sum()
print(f"Result: {result}")
