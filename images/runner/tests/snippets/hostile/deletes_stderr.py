# Deletes sys.stderr and sys.excepthook
import sys
print("before")
del sys.stderr
del sys.excepthook
print("after")
raise SystemExit(3)
