# Changes the directory and deletes it
import os
os.mkdir("inner")
os.chdir("inner")
os.rmdir("../inner")
try:
    os.getcwd()
except FileNotFoundError as error:
    print(error)
import colorsys
print(colorsys.rgb_to_hsv(1, 0, 0))
raise ValueError("still told")
