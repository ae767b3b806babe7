# Text of many scripts, and long lines
print("é 日本 \U0001f600", "\t", "a\rb", "\x1b[1mbold\x1b[0m", "\x00", end="|\n")
print("x" * 100_000)
print(*range(2000), sep=",")
print("no newline at the end", end="")
