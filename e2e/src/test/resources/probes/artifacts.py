"""Leaves what the probes of artifacts in docs/security.md leave, all at once.

Prints the SHA-256 of the files that are to be collected, except of the one that a process which
outlives the code goes on writing.
"""

import hashlib
import os
import socket
import time

os.makedirs("artifacts/folder")
os.makedirs(".work")


def leave(path, text=b"x"):
    with open(path, "wb") as file:
        file.write(text)


leave("artifacts/good", b"good")
os.link("artifacts/good", "artifacts/again")
leave("registered", b"registered")
leave(".work/registered", b"registered\n../../etc/passwd\n/etc/passwd\n\xff\nregistered\n")

# No files, and links: also to a dataset, which is a link to a file of another process here.
for number, target in enumerate(("/etc/passwd", "good", "loop", "/datasets/sales-data/source.csv")):
    os.symlink(target, f"artifacts/link{number}")
os.symlink("/datasets", "artifacts/linked")
os.symlink(f"/proc/{os.getpid()}/fd", "artifacts/descriptors")
os.mkfifo("artifacts/pipe")
socket.socket(socket.AF_UNIX).bind("artifacts/socket")

for name in (b"line\nfeed", b"\x1b[31mred", b"\xff\xfe", "\u202ecod.exe".encode()):
    leave(b"artifacts/" + name)
os.mkdir("artifacts/" + "d" * 200)
leave("artifacts/" + "d" * 200 + "/" + "f" * 46)
leave("artifacts/none")
os.chmod("artifacts/none", 0)
with open("artifacts/sparse", "wb") as sparse:
    sparse.truncate(2**40)
deep = os.open("artifacts/folder", os.O_RDONLY)
for _ in range(1000):
    os.mkdir("d", dir_fd=deep)
    inner = os.open("d", os.O_RDONLY, dir_fd=deep)
    os.close(deep)
    deep = inner

with open("artifacts/survivor", "wb", buffering=0) as survivor:
    survivor.write(b"x")
    if os.fork() == 0:
        os.setsid()
        while True:
            survivor.write(b"x" * 100)
            time.sleep(0.01)

for text in (b"good", b"registered"):
    print(hashlib.sha256(text).hexdigest())
