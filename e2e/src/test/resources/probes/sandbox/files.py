"""Files and devices."""


def write_attempts(folder):
    """The errors of all attempts to change `folder`."""
    path = os.path.join(folder, "assay-probe")
    return ", ".join(
        sorted(
            {
                # /proc has no such name.
                refused(open, path, "w", also=["ENOENT"]),
                refused(os.mkdir, path, also=["ENOENT"]),
                refused(os.symlink, "/etc/passwd", path, also=["ENOENT"]),
                refused(os.mkfifo, path, also=["ENOENT"]),
            }
        )
    )


@probe("root-read-only")
def _():
    folders = ["/"] + [os.path.join("/", name) for name in os.listdir("/")]
    folders = [path for path in folders if os.path.isdir(path)]
    return ", ".join(sorted({write_attempts(path) for path in folders if path not in WRITABLE}))


@probe("system-files-read-only")
def _():
    paths = ["/etc/passwd", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/ld.so.cache"]
    paths += [sys.executable, os.__file__, "/usr/lib/os-release"]
    return each_refused(os.open, [(path, os.O_WRONLY) for path in paths if os.path.exists(path)])


@probe("writable-mounts")
def _():
    found = set()
    for point, _, writable in mounts():
        if writable and os.access(point, os.W_OK):
            found.add(point)
    # The container's own device files; writing to them changes no file.
    found -= {point for point in found if stat.S_ISCHR(os.stat(point).st_mode)}
    require(found <= WRITABLE, sorted(found - WRITABLE))
    require("/scratch" in found, found)
    return ", ".join(sorted(found))


@probe("termination-message")
def _():
    """Kubernetes reads the message from a file on the node's disk, whose size nothing limits."""
    require(not os.path.lexists("/dev/termination-log"), "/dev/termination-log")
    on_disk = [
        point
        for point, source, writable in mounts()
        if writable and os.access(point, os.W_OK) and "/containers/worker/" in source
    ]
    require(not on_disk, on_disk)
    return "not in reach"


@probe("datasets-read-only")
def _():
    found = set()
    # The links are the run's own, as its working directory is; the files are not.
    own = (os.unlink, os.rename) if CLAIMED else ()
    for root, _, names in os.walk("/datasets"):
        if not CLAIMED:
            found.add(write_attempts(root))
        for name in names:
            path = os.path.join(root, name)
            for attempt, *arguments in (
                (os.open, path, os.O_WRONLY),
                (os.truncate, path, 0),
                (os.unlink, path),
                (os.rename, path, path + "2"),
                (os.chmod, path, 0o777),
                (os.utime, path),
                (os.link, path, "/scratch/link"),
            ):
                if attempt not in own:
                    found.add(refused(attempt, *arguments, also=["EXDEV"]))
    return ", ".join(sorted(found))


def only_held_files():
    """Look for more than the run's own files at the process that holds them."""
    links = [
        os.readlink(os.path.join(root, name))
        for root, _, names in os.walk("/datasets")
        for name in names
    ]
    require(links, "no links")
    holder = os.path.dirname(links[0])
    held = sorted(os.path.join(holder, name) for name in os.listdir(holder))
    require(held == sorted(links), (held, links))
    snapshots = {os.path.dirname(os.readlink(link)) for link in links}
    require(len(snapshots) == len(DATASETS), snapshots)
    gone = ["ENOTDIR", "ENOENT"]
    upwards = {refused(os.listdir, link + "/..", also=gone) for link in links}
    parents = {refused(os.listdir, snapshot, also=gone) for snapshot in snapshots}
    require(sorted(os.listdir(holder + "/../root")) == sorted(os.listdir("/")), "another root")
    process = int(holder.split("/")[2])
    os.kill(process, signal.SIGSTOP)
    os.kill(process, signal.SIGCONT)
    return ", ".join(sorted(upwards | parents))


@probe("other-datasets")
def _():
    require(sorted(os.listdir("/datasets")) == DATASETS, os.listdir("/datasets"))
    require(not os.path.exists("/snapshots"), "/snapshots is there")
    if CLAIMED:
        return only_held_files()
    sources = [source for point, source, _ in mounts() if point.startswith("/datasets/")]
    require(len(sources) == len(DATASETS), sources)
    require(all(re.search("/snapshots/[^/]+/[^/]+$", source) for source in sources), sources)
    upwards = os.listdir("/datasets/sales-data/../..")
    require(sorted(upwards) == sorted(os.listdir("/")), upwards)
    return "only the run's own snapshot is mounted"


@probe("kernel-settings")
def _():
    paths = ["kernel/core_pattern", "kernel/modprobe", "vm/overcommit_memory", "kernel/hostname"]
    paths += ["net/ipv4/ip_forward", "net/ipv4/ping_group_range", "net/ipv6/conf/all/disable_ipv6"]
    paths = [path for path in paths if os.path.exists(f"/proc/sys/{path}")]
    return each_refused(os.open, [(f"/proc/sys/{path}", os.O_WRONLY) for path in paths])


@probe("sys-read-only")
def _():
    paths = ["/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled"]
    paths += ["/sys/power/state", "/sys/module/kernel/parameters/crash_kexec_post_notifiers"]
    paths = [path for path in paths if os.path.exists(path)]
    return f"{write_attempts('/sys')}, {each_refused(os.open, [(p, os.O_WRONLY) for p in paths])}"


@probe("cgroups-read-only")
def _():
    found = set()
    for root, _, names in os.walk("/sys/fs/cgroup"):
        found.add(refused(os.mkdir, os.path.join(root, "assay-probe")))
        limits = [name for name in names if re.search("procs|limit|max|release_agent|shares", name)]
        found |= {refused(os.open, os.path.join(root, name), os.O_WRONLY) for name in limits}
    return ", ".join(sorted(found))


@probe("kernel-memory-and-log")
def _():
    paths = ["/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/port"]
    # Not in every kernel.
    writing = refused(os.open, "/proc/sysrq-trigger", os.O_WRONLY, also=["ENOENT"])
    for path in paths:
        # If it can be opened, it must be an empty replacement.
        try:
            require(read(path) == b"", path)
        except OSError as error:
            writing += f", {errno.errorcode[error.errno]}"
    return writing


@probe("devices")
def _():
    harmless = {"full", "null", "ptmx", "random", "tty", "urandom", "zero"}
    found = set()
    for root, _, names in os.walk("/dev"):
        for name in names:
            mode = os.lstat(os.path.join(root, name)).st_mode
            if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
                found.add(os.path.relpath(os.path.join(root, name), "/dev"))
    strange = {name for name in found - harmless if not re.fullmatch(r"pts/(ptmx|\d+)", name)}
    require(not strange, strange)
    return ", ".join(sorted(found))


@probe("make-device")
def _():
    kinds = (stat.S_IFBLK | 0o600, os.makedev(254, 0)), (stat.S_IFCHR | 0o600, os.makedev(1, 1))
    return each_refused(
        lambda mode, device: call("mknodat", -100, text("/scratch/device"), mode, device), kinds
    )
