"""The launcher, which is process 1 of the container and has the same user, and the supervisor."""


@probe("launcher-signals")
def _():
    with Child() as child:
        os.kill(child, signal.SIGKILL)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    for number in signal.valid_signals():
        os.kill(LAUNCHER, number)
    descriptor = os.pidfd_open(LAUNCHER)
    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    os.close(descriptor)
    state = status(LAUNCHER)["State"]
    require(state[0] in "SRD", state)
    return f"{len(signal.valid_signals())} signals; its state is {state}"


@probe("launcher-ptrace")
def _():
    def seize(pid):
        call("ptrace", PTRACE_SEIZE, pid, 0, 0)

    def attach(pid):
        call("ptrace", PTRACE_ATTACH, pid, 0, 0)
        os.waitid(os.P_PID, pid, os.WSTOPPED)
        call("ptrace", PTRACE_DETACH, pid, 0, 0)

    return f"{only_children(seize)}, {only_children(attach)}"


def vector():
    """Eight mapped bytes; the launcher may have others at the same address."""
    data = ctypes.create_string_buffer(8)
    pointer = (ctypes.c_ulong * 2)(address(data), 8)
    KEPT.extend((data, pointer))
    return address(pointer)


@probe("launcher-memory-read")
def _():
    return refused(call, "process_vm_readv", LAUNCHER, vector(), 1, vector(), 1, 0)


@probe("launcher-memory-write")
def _():
    return refused(call, "process_vm_writev", LAUNCHER, vector(), 1, vector(), 1, 0)


@probe("launcher-proc-mem")
def _():
    return ", ".join(
        only_children(
            lambda pid, flags=flags: os.close(os.open(f"/proc/{pid}/mem", flags)),
            writes=flags == os.O_RDWR,
        )
        for flags in (os.O_RDONLY, os.O_RDWR)
    )


@probe("launcher-environment")
def _():
    return only_children(lambda pid: read(f"/proc/{pid}/environ"))


@probe("launcher-maps")
def _():
    return ", ".join(
        only_children(lambda pid, name=name: require(read(f"/proc/{pid}/{name}"), name))
        for name in ("maps", "auxv")
    )


@probe("launcher-descriptors")
def _():
    return ", ".join(
        (
            only_children(lambda pid: os.listdir(f"/proc/{pid}/fd")),
            only_children(lambda pid: read(f"/proc/{pid}/fdinfo/0")),
            only_children(lambda pid: os.readlink(f"/proc/{pid}/fd/1")),
        )
    )


@probe("launcher-descriptor-taken")
def _():
    descriptor = call("pidfd_open", LAUNCHER, 0)
    try:
        return refused(call, "pidfd_getfd", descriptor, 1, 0)
    finally:
        os.close(descriptor)


@probe("launcher-proc-files")
def _():
    def write(path):
        descriptor = os.open(path, os.O_WRONLY)
        try:
            os.write(descriptor, b"0")
        finally:
            os.close(descriptor)

    folders = [f"/proc/{LAUNCHER}", f"/proc/{LAUNCHER}/task/{LAUNCHER}"]
    paths = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
    files = [path for path in paths if stat.S_ISREG(os.lstat(path).st_mode)]
    return f"{len(files)} files: {each_refused(write, [(path,) for path in files])}"


@probe("launcher-links")
def _():
    return ", ".join(
        only_children(lambda pid, name=name: os.readlink(f"/proc/{pid}/{name}"))
        for name in ("exe", "cwd", "root", "ns/net")
    )


@probe("launcher-limits")
def _():
    def limit(pid):
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))

    return only_children(limit)


@probe("launcher-priority")
def _():
    return ", ".join(
        (
            only_children(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19)),
            only_children(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))),
            only_children(lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid))),
        )
    )


@probe("launcher-out-of-memory-score")
def _():
    def set_score(pid):
        with open(f"/proc/{pid}/oom_score_adj", "w") as file:
            file.write("1000")

    return only_children(set_score, writes=True)


@probe("supervisor-invisible")
def _():
    strangers = {}
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            command, user = read(f"/proc/{pid}/cmdline"), status(pid)["Uid"].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"assay_runner.supervisor" in command or user != str(WORKER_ID):
            strangers[pid] = command
    require(not strangers, strangers)
    return "only processes of this container"


@probe("launcher-socket")
def _():
    with socket.socket(socket.AF_UNIX) as second:
        found = refused(second.connect, "/run/assay/launcher.sock", also=["ENOENT"])
    require(os.listdir("/run/assay") == [], os.listdir("/run/assay"))
    return f"{found}: it goes when the launcher has connected"


@probe("launcher-socket-directory")
def _():
    def bind():
        with socket.socket(socket.AF_UNIX) as own:
            own.bind("/run/assay/launcher.sock")

    return f"{refused(bind)}, {refused(open, '/run/assay/file', 'w')}"


@probe("unix-sockets-of-others")
def _():
    lines = read("/proc/net/unix").decode().splitlines()[1:]
    names = {line.split()[7] for line in lines if len(line.split()) > 7}
    found = set()
    for name in names:
        with socket.socket(socket.AF_UNIX) as own:
            path = name.replace("@", "\0", 1)
            found.add(refused(own.connect, path, also=["ENOENT", "ECONNREFUSED"]))
    return f"{len(names)} have a name: {', '.join(sorted(found))}"
