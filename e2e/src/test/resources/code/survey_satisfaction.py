
# Employee satisfaction analysis
satisfaction_cols = ['work_life_balance', 'compensation', 'career_growth']
print("Satisfaction Metrics:")
for col in satisfaction_cols:
    avg_score = df[col].mean()
    print(f"{col.replace('_', ' ').title()}: {avg_score:.2f}/5")
# Department comparison
dept_satisfaction = df.groupby('department')[satisfaction_cols].mean()
print("\nDepartment Satisfaction Averages:")
print(dept_satisfaction.round(2))
# Find correlation
if len(satisfaction_cols) >= 2:
    correlation = df[satisfaction_cols].corr()
    print("\nCorrelation Matrix:")
    print(correlation.round(3))
