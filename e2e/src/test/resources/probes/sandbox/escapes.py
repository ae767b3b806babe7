"""Escapes from containers that SandboxEscapeBench and others know, beyond the probes before."""


@probe("escape-runtime-sockets")
def _():
    """Ask the container runtime or the kubelet for a container of the host."""
    names = ["docker.sock", "containerd/containerd.sock", "crio/crio.sock", "podman/podman.sock"]
    paths = [os.path.join(root, name) for root in ("/run", "/var/run") for name in names]
    paths += ["/var/lib/kubelet/pod-resources/kubelet.sock", "/run/buildkit/buildkitd.sock"]

    def connect(path):
        with socket.socket(socket.AF_UNIX) as own:
            own.connect(path)

    return ", ".join(sorted({refused(connect, path, also=["ENOENT"]) for path in paths}))


@probe("escape-runtime-program")
def _():
    """CVE-2019-5736: overwrite the runtime by the link to its program."""
    found = set()
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        # A process may have ended; ETXTBSY would say that the file could be written.
        found.add(refused(os.open, f"/proc/{pid}/exe", os.O_WRONLY, also=["ENOENT", "ESRCH"]))
    return ", ".join(sorted(found))


@probe("escape-leaked-descriptors")
def _():
    """CVE-2024-21626: reach the host by a directory that the runtime has left open."""
    root = os.stat("/")
    directories = []
    for name in os.listdir("/proc/self/fd"):
        try:
            descriptor = os.open(f"/proc/self/fd/{name}", os.O_PATH | os.O_DIRECTORY)
        except OSError:
            # Most are no directories, and that of this list has been closed.
            continue
        directories.append(os.readlink(f"/proc/self/fd/{name}"))
        for _ in range(40):
            above = os.open("..", os.O_PATH, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = above
        top = os.fstat(descriptor)
        os.close(descriptor)
        require((top.st_dev, top.st_ino) == (root.st_dev, root.st_ino), directories[-1])
    return f"{len(directories)} directories, all below /"


@probe("escape-host-processes")
def _():
    """Find threads of the host's kernel."""
    pids = sorted(map(int, filter(str.isdecimal, os.listdir("/proc"))))
    require(2 not in pids or status(2)["Name"] != "kthreadd", "the kernel's threads are there")
    return f"{len(pids)} processes"


@probe("escape-release-agent")
def _():
    """CVE-2022-0492 and before: have the kernel start a program when a cgroup is empty."""
    target = text("/scratch")
    kinds = [("cgroup", "memory"), ("cgroup", "rdma"), ("cgroup", "pids"), ("cgroup2", "")]
    found = {
        refused(call, "mount", text("cgroup"), target, text(kind), 0, text(options))
        for kind, options in kinds
    }
    for folder, _, names in os.walk("/sys/fs/cgroup"):
        if "release_agent" in names:
            found.add(refused(os.open, os.path.join(folder, "release_agent"), os.O_WRONLY))
    return ", ".join(sorted(found))


@probe("escape-kernel-helpers")
def _():
    """Have the kernel start a program: for a crash, a module, a device, a file of a kind."""
    paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe"]
    paths += ["/proc/sys/kernel/hotplug", "/proc/sys/kernel/usermodehelper/bset"]
    paths += ["/proc/sys/fs/binfmt_misc/register", "/sys/kernel/uevent_helper"]
    return ", ".join(sorted({refused(os.open, p, os.O_WRONLY, also=["ENOENT"]) for p in paths}))


@probe("escape-overlay")
def _():
    """CVE-2021-3493, CVE-2023-0386: OverlayFS that gives files to another user."""
    options = "lowerdir=/usr,upperdir=/scratch/up,workdir=/scratch/work"
    for name in ("up", "work"):
        os.makedirs(f"/scratch/{name}", exist_ok=True)
    mounting = refused(call, "mount", text("o"), text("/scratch"), text("overlay"), 0, text(options))
    return f"{mounting}, {refused(call, 'unshare', CLONE_NEWUSER | CLONE_NEWNS)}"


@probe("escape-host-disk")
def _():
    """Read the disk that the scratch directory or an image is on."""
    numbers = {os.stat(path).st_dev for path in ("/", "/scratch", "/workspace", "/datasets")}
    return each_refused(
        lambda number: call("mknodat", -100, text("/scratch/disk"), stat.S_IFBLK | 0o600, number),
        [(number,) for number in numbers],
    )


def unchanged_file():
    """A file of the image that nothing reads, and its content."""
    path = "/usr/local/share/assay/requirements.txt"
    return path, read(path)


@probe("escape-dirty-cow")
def _():
    """CVE-2016-5195: write to a private mapping of a file while its pages are dropped."""
    path, before = unchanged_file()
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)
    end = time.monotonic() + 1
    dropping = threading.Thread(target=lambda: drop_until(mapped, end))
    dropping.start()
    start = next(
        int(line.split("-")[0], 16)
        for line in read("/proc/self/maps").decode().splitlines()
        if line.endswith(path)
    )
    written = 0
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        while time.monotonic() < end:
            memory.seek(start)
            try:
                written += memory.write(b"#")
            except OSError:
                break
    dropping.join()
    mapped.close()
    require(read(path) == before, f"{path} has changed")
    return f"{written} writes to copies"


def drop_until(mapped, end):
    while time.monotonic() < end:
        mapped.madvise(mmap.MADV_DONTNEED)


@probe("escape-dirty-pipe")
def _():
    """CVE-2022-0847: write to a pipe that has a page of a file."""
    path, before = unchanged_file()
    reading, writing = os.pipe()
    size = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
    os.write(writing, bytes(size))
    os.read(reading, size)
    with open(path, "rb") as file:
        os.splice(file.fileno(), writing, 1, offset_src=0)
    os.write(writing, b"#")
    os.close(reading)
    os.close(writing)
    require(read(path) == before, f"{path} has changed")
    return "the write went elsewhere"
