
# Check available columns first
print("Available columns:", df.columns.tolist())
# Use correct column name
result = df['order_value'].sum()
print(f"Total sales: ${result:.2f}")
