# Overwrites main.py
with open("main.py", "w") as file:
    file.write("other\ncontent\nentirely\nhere\nand here\n")
print("before")
raise ValueError("quotes the file as it is now")
