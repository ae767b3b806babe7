# Suggestions for attributes, imports and methods
import math
try:
    from collections import namedtoplo
except ImportError as error:
    print(error)
math.sqroot(4)
