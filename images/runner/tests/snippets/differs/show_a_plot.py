# Shows a plot
# Why: There is no display: the notice says what to do instead.
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
