# json, re, collections, itertools
import collections, itertools, json, re
print(json.dumps({"b": [1, None, True], "a": "é"}, indent=1, ensure_ascii=False))
print(re.findall(r"(\w+)=(\d+)", "a=1 b=2"))
print(collections.Counter("hello").most_common(2), list(itertools.accumulate([1, 2, 3])))
json.loads("{'a': 1}")
