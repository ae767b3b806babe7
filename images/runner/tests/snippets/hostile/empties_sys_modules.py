# Empties sys.modules
import sys
for name in list(sys.modules):
    if name not in ("sys", "builtins", "__main__"):
        del sys.modules[name]
import json, os
print(json.dumps([1]), os.path.basename("a/b"))
raise ValueError("still reported")
