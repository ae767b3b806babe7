# Shows a plot
# Why: There is no display: each plot is a file, which is kept after the run.
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
