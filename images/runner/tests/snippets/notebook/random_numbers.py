# Seeded random numbers
import random
import numpy as np
random.seed(1)
print(random.random(), [random.randint(1, 6) for _ in range(5)])
print(np.random.default_rng(1).normal(size=3).round(6))
np.random.seed(1)
print(np.random.rand(2))
