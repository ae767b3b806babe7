# sys.exit with a text
import sys
print("before")
sys.exit("no rows: stop here")
