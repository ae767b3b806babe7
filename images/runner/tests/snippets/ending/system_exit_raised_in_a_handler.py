# SystemExit that replaces an error
import sys
try:
    1 / 0
except ZeroDivisionError:
    raise SystemExit(9)
