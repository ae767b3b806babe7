# Writes a module with the name of one that pandas has imported
# Why: The libraries were imported before the code was written, and with them the modules that they use.
with open("random.py", "w") as file:
    file.write("shadowed = True\n")
import random
print(hasattr(random, "shadowed"))
