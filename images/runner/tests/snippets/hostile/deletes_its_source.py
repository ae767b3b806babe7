# Deletes main.py and the directory's content
import os
os.remove("main.py")
print(os.listdir("."))
1 / 0
