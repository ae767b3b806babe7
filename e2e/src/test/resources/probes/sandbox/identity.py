"""The user, groups and capabilities of the code."""


@probe("user-and-group")
def _():
    ids = [status()[name].split() for name in ("Uid", "Gid")]
    require(all(set(numbers) == {str(WORKER_ID)} for numbers in ids), ids)
    require(WORKER_ID in RUN_USER_IDS, WORKER_ID)
    require(set(os.getgroups()) <= GROUPS, f"groups {os.getgroups()}")
    return str(WORKER_ID)


@probe("capabilities")
def _():
    sets = [status()[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    require(all(int(value, 16) == 0 for value in sets), sets)
    return "none, bounding set included"


@probe("no-new-privileges")
def _():
    require(status()["NoNewPrivs"] == "1", status()["NoNewPrivs"])
    return "1"


@probe("seccomp-mode")
def _():
    found = status()["Seccomp"], int(status().get("Seccomp_filters", FILTERS))
    require(found[0] == "2" and found[1] >= FILTERS, found)
    return f"2, {found[1]} filters"


@probe("become-another-user")
def _():
    attempts = [
        (change, value)
        for change in (os.setuid, os.setgid, os.seteuid, os.setegid)
        for value in (0, WORKER_ID - 1)
    ]
    # The number is invalid in a user namespace without such a user.
    found = {refused(change, value, also=["EINVAL"]) for change, value in attempts}
    return ", ".join(sorted(found | {refused(os.setgroups, [0])}))


def forbid_children():
    """Lets the program that is executed next start no other: an ssh-agent that went on in the
    background would be a socket of ours to the probe of sockets."""
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


@probe("set-user-id-program")
def _():
    marked = []
    for folder in ("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/local"):
        for root, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(root, name)
                mode = os.lstat(path).st_mode
                if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                    marked.append(path)
    for path in marked:
        if not os.access(path, os.X_OK):
            continue
        program = subprocess.Popen(
            [path],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=forbid_children,
        )
        # Its status exists until it is waited for.
        ids = status(program.pid)["Uid"].split() + status(program.pid)["Gid"].split()
        program.kill()
        program.communicate()
        require(set(ids) == {str(WORKER_ID)}, f"{path} runs as {ids}")
    return f"{len(marked)} programs gave no other user"


@probe("service-account-token")
def _():
    for path in ("/var/run/secrets", "/run/secrets"):
        require(not os.path.lexists(path), path)
    found = [point for point, _, _ in mounts() if "secret" in point or "kubernetes.io" in point]
    require(not found, found)
    return "no such path and no such mount"


@probe("secret-environment")
def _():
    words = re.compile("KUBERNETES|TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY|KEY_|KEYS|NONCE", re.I)
    found = [name for name in os.environ if words.search(name)]
    require(not found, found)
    return f"{len(os.environ)} variables"


@probe("host-files")
def _():
    paths = ["/var/lib/kubelet", "/etc/kubernetes", "/run/containerd", "/run/docker.sock"]
    paths += ["/var/run/crio", "/host", "/rootfs", "/var/log/pods", "/var/lib/containerd"]
    found = [path for path in paths if os.path.lexists(path)]
    require(not found, found)
    return f"{len(paths)} paths are not there"
