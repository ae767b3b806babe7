# Replaces sys.modules
import sys
print("before")
sys.modules = {}
import json
print(json.dumps([1]))
raise ValueError("still reported")
