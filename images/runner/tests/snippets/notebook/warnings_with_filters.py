# warnings, with filters and as errors
import warnings
def old():
    warnings.warn("use new()", DeprecationWarning, stacklevel=2)
old()
old()
for i in range(2):
    warnings.warn("in a loop")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old()
print(len(caught), caught[0].lineno)
warnings.simplefilter("error")
old()
