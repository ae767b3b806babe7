# A plot drawn to a file
import matplotlib.pyplot as plt
import os
plt.plot([1, 3, 2])
plt.title("Title")
plt.savefig("plot.png")
print(os.path.getsize("plot.png") > 1000, plt.gcf().get_size_inches())
