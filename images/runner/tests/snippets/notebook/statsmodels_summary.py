# A regression of statsmodels
import numpy as np
import statsmodels.api as sm
x = sm.add_constant(np.arange(5.0))
print(sm.OLS(np.array([1, 3, 5, 7, 9.5]), x).fit().params.round(4))
