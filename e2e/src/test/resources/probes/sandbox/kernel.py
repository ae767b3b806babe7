"""System calls."""


@probe("mount")
def _():
    target = text("/scratch")
    remount_and_write = 32
    return each_refused(
        lambda *arguments: call("mount", *arguments),
        [
            (text("none"), target, text("tmpfs"), 0, 0),
            (text("/"), target, 0, 4096, 0),
            (0, text("/"), 0, remount_and_write, 0),
            (0, text("/datasets/sales-data"), 0, remount_and_write | 4096, 0),
        ],
    )


@probe("unmount")
def _():
    return each_refused(
        lambda path, flags: call("umount2", text(path), flags),
        [("/datasets/sales-data", 0), ("/proc/sys", 2), ("/scratch", 2)],
    )


@probe("new-mount-calls")
def _():
    return ", ".join(
        (
            refused(call, "fsopen", text("tmpfs"), 0),
            refused(call, "open_tree", -100, text("/"), 1),
            refused(call, "move_mount", -100, text("/"), -100, text("/scratch"), 0),
            refused(call, "mount_setattr", -100, text("/"), 0, text("0" * 32), 32),
        )
    )


@probe("change-root")
def _():
    pivot = refused(call, "pivot_root", text("/scratch"), text("/scratch"))
    return f"{refused(call, 'chroot', text('/scratch'))}, {pivot}"


def unshare(*kinds):
    return each_refused(lambda kind: call("unshare", kind), [(kind,) for kind in kinds])


@probe("user-namespace")
def _():
    return unshare(CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNET, CLONE_NEWUSER | CLONE_NEWNS)


@probe("network-namespace")
def _():
    return unshare(CLONE_NEWNET)


@probe("other-namespaces")
def _():
    kinds = CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWCGROUP, CLONE_NEWTIME
    return unshare(*kinds)


@probe("clone-into-namespace")
def _():
    number, number_clone3 = ((56, 220)[ARCHITECTURE], 435)
    arguments = (ctypes.c_uint64 * 11)(CLONE_NEWUSER, 0, 0, 0, signal.SIGCHLD)

    def clone(number, *arguments):
        pid = LIBC.syscall(ctypes.c_long(number), *map(ctypes.c_void_p, arguments))
        if pid == 0:
            os._exit(0)
        if pid == -1:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        os.waitpid(pid, 0)
        return pid

    old = refused(clone, number, CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
    return f"{old}, {refused(clone, number_clone3, address(arguments), 88)}"


@probe("enter-namespace")
def _():
    found = set()
    for kind in ("net", "mnt", "user", "pid", "uts", "ipc"):
        descriptor = os.open(f"/proc/self/ns/{kind}", os.O_RDONLY)
        found.add(refused(call, "setns", descriptor, 0))
        os.close(descriptor)
    return ", ".join(sorted(found))


@probe("bpf")
def _():
    attributes = (ctypes.c_uint32 * 32)(1, 4, 4, 1)
    return refused(call, "bpf", 0, address(attributes), 128)


@probe("kernel-keys")
def _():
    return ", ".join(
        (
            refused(call, "keyctl", 0, -3 & (2**64 - 1), 1),
            refused(call, "add_key", text("user"), text("assay"), text("x"), 1, -3 & (2**64 - 1)),
            refused(call, "request_key", text("user"), text("assay"), 0, 0),
        )
    )


@probe("performance-events")
def _():
    attributes = ctypes.create_string_buffer(struct.pack("<IIQ", 1, 112, 0) + bytes(96))
    return refused(call, "perf_event_open", address(attributes), 0, -1, -1, 0)


@probe("userfaultfd")
def _():
    user_mode_only = 1
    return f"{refused(call, 'userfaultfd', 0)}, {refused(call, 'userfaultfd', user_mode_only)}"


@probe("io-uring")
def _():
    parameters = ctypes.create_string_buffer(120)
    return ", ".join(
        (
            refused(call, "io_uring_setup", 8, address(parameters)),
            refused(call, "io_uring_enter", 0, 0, 0, 0, 0),
            refused(call, "io_uring_register", 0, 0, 0, 0),
        )
    )


@probe("kernel-modules")
def _():
    loading = refused(call, "init_module", 0, 0, text(""))
    return f"{loading}, {refused(call, 'delete_module', text('overlay'), 0)}"


@probe("machine-state")
def _():
    time_value = (ctypes.c_long * 2)(0, 0)
    return ", ".join(
        (
            refused(call, "reboot", 0xFEE1DEAD, 672274793, 0x89ABCDEF, 0),
            refused(call, "kexec_load", 0, 0, 0, 0),
            refused(call, "swapon", text("/scratch/swap"), 0),
            refused(call, "sethostname", text("assay"), 5),
            refused(call, "settimeofday", address(time_value), 0),
            refused(call, "clock_settime", 0, address(time_value)),
            refused(call, "syslog", 3, address(ctypes.create_string_buffer(64)), 64),
        )
    )


@probe("input-output-ports")
def _():
    return f"{refused(call, 'iopl', 3)}, {refused(call, 'ioperm', 0x80, 1, 1)}"


@probe("file-handles")
def _():
    handle = (ctypes.c_uint32 * 8)(8, 1, 2, 0)
    return refused(call, "open_by_handle_at", -100, address(handle), 0)


@probe("foreign-system-calls")
def _():
    """The x32 call for a socket; no rule of the filter has its number."""
    if ARCHITECTURE != 0:
        return "this architecture has none"
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGSYS, signal.SIG_DFL)
        made = LIBC.syscall(ctypes.c_long(0x40000000 | 41), 2, 1, 0)
        os._exit(0 if made >= 0 else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    require(code != 0, "a socket was made")
    return "killed" if code == -signal.SIGSYS else "refused"
