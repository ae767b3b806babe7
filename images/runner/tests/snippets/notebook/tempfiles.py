# Temporary files, by tempfile and in /tmp
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.txt")
    open(path, "w").write("kept")
    print(open(path).read(), os.path.isdir(folder))
print(os.path.exists(folder))
with tempfile.NamedTemporaryFile("w+", suffix=".csv") as file:
    file.write("a,b\n1,2\n")
    file.seek(0)
    print(file.read())
name = f"/tmp/snippet-{os.getpid()}"
with open(name, "w") as file:
    file.write("in /tmp")
print(open(name).read())
os.remove(name)
