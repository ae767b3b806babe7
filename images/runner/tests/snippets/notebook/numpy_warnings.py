# Warnings of numpy, once for each line
import numpy as np
for i in range(3):
    print(np.log(np.array([0.0, 1.0])))
print(np.array([1.0]) / 0)
np.seterr(all="raise")
print(np.array([1.0]) / 0)
