"""The seccomp filter, and the errors that it causes in Python code."""

from __future__ import annotations

import errno
import platform
import signal
import socket
import struct
import tempfile
from collections.abc import Sequence

import pyseccomp
import pytest

from assay_runner.launcher import system_call_filter
from local_runner import NewRunner

pytestmark = pytest.mark.slow

X86_64, I386, AARCH64, ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028
X32 = 0x40000000
ALLOW, KILL, KILL_THREAD = 0x7FFF0000, 0x80000000, 0
NOT_PERMITTED = 0x00050000 | errno.EPERM
DENIED, NO_SUCH_CALL = 0x00050000 | errno.EACCES, 0x00050000 | errno.ENOSYS

# From the kernel's tables, asm/unistd_64.h and asm-generic/unistd.h.
CALLS = {
    X86_64: {"read": 0, "connect": 42, "execve": 59, "socket": 41, "socketpair": 53},
    AARCH64: {"read": 63, "connect": 203, "execve": 221, "socket": 198, "socketpair": 199},
}
# The caller's own process is 0 to these, and PRIO_PROCESS is 0 to setpriority and 1 to ioprio_set.
LIMITING = {
    X86_64: {"prlimit64": 302, "sched_setaffinity": 203, "setpriority": 141, "ioprio_set": 251},
    AARCH64: {"prlimit64": 261, "sched_setaffinity": 122, "setpriority": 140, "ioprio_set": 30},
}
KERNEL = {
    X86_64: {
        "add_key": 248,
        "bpf": 321,
        "keyctl": 250,
        "perf_event_open": 298,
        "request_key": 249,
        "setns": 308,
        "syslog": 103,
        "unshare": 272,
        "userfaultfd": 323,
    },
    AARCH64: {
        "add_key": 217,
        "bpf": 280,
        "keyctl": 219,
        "perf_event_open": 241,
        "request_key": 218,
        "setns": 268,
        "syslog": 116,
        "unshare": 97,
        "userfaultfd": 282,
    },
}
CLONE = {X86_64: 56, AARCH64: 220}
CLONE3 = 435
NEW_NAMESPACES = {
    "mount": 0x20000,
    "cgroup": 0x2000000,
    "names": 0x4000000,
    "ipc": 0x8000000,
    "user": 0x10000000,
    "processes": 0x20000000,
    "network": 0x40000000,
}
IO_URING = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427}
ARCHITECTURES = [
    pytest.param(X86_64, id="x86_64"),
    pytest.param(AARCH64, id="aarch64"),
]
EVERY_FAMILY_BUT_UNIX = [family for family in range(64) if family != socket.AF_UNIX]
LAUNCHER = 4711
NOT_A_SMALL_NUMBER = [2**31, 2**32 - 1, 2**32, 2**32 + socket.AF_UNIX, 2**64 - 1]

Program = list[tuple[int, int, int, int]]


@pytest.fixture(scope="module")
def programs() -> dict[int, Program]:
    """The filter of each architecture, as passed to the kernel."""
    names = {X86_64: pyseccomp.Arch.X86_64, AARCH64: pyseccomp.Arch.AARCH64}
    return {audit: export(build(name)) for audit, name in names.items()}


def build(architecture: int = 0) -> pyseccomp.SyscallFilter:
    return system_call_filter.build(LAUNCHER, network=True, architecture=architecture)


def export(rules: pyseccomp.SyscallFilter) -> Program:
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return list(struct.iter_unpack("<HBBI", file.read()))


def decide(program: Program, architecture: int, call: int, arguments: Sequence[int] = ()) -> int:
    """Run a classic BPF program over one system call, as the kernel does."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", call & 0xFFFFFFFF, architecture, 0, *padded)
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case 0x20:  # load a word of the data
                (accumulator,) = struct.unpack_from("<I", data, operand)
            case 0x54:  # and
                accumulator &= operand
            case 0x05:  # jump
                at += operand
            case 0x15:  # jump if equal
                at += if_true if accumulator == operand else if_false
            case 0x25:  # jump if greater
                at += if_true if accumulator > operand else if_false
            case 0x35:  # jump if not less
                at += if_true if accumulator >= operand else if_false
            case 0x45:  # jump if any bit is set
                at += if_true if accumulator & operand else if_false
            case 0x06:  # return
                return operand
            case _:
                raise AssertionError(f"instruction {code:#x} is not known here")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_sockets_are_local_or_denied(
    programs: dict[int, Program], architecture: int, call: str
) -> None:
    program, number = programs[architecture], CALLS[architecture][call]
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_STREAM | socket.SOCK_CLOEXEC):
        assert decide(program, architecture, number, [socket.AF_UNIX, kind, 0]) == ALLOW
        for family in EVERY_FAMILY_BUT_UNIX + NOT_A_SMALL_NUMBER:
            assert decide(program, architecture, number, [family, kind, 0]) == DENIED


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("call", IO_URING)
def test_io_uring_does_not_exist(
    programs: dict[int, Program], architecture: int, call: str
) -> None:
    for argument in (0, socket.AF_UNIX, 2**64 - 1):
        verdict = decide(programs[architecture], architecture, IO_URING[call], [argument])
        assert verdict == NO_SUCH_CALL


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_other_call_is_allowed(programs: dict[int, Program], architecture: int) -> None:
    calls = CALLS[architecture]
    refused = {calls["socket"], calls["socketpair"], *IO_URING.values(), CLONE3}
    refused |= set(KERNEL[architecture].values())
    for number in set(range(1024)) - refused:
        assert decide(programs[architecture], architecture, number) == ALLOW


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_parts_of_the_kernel_that_analysis_has_no_use_for_are_refused(
    programs: dict[int, Program], architecture: int
) -> None:
    for number in KERNEL[architecture].values():
        for argument in (0, 1, 2**64 - 1):
            assert decide(programs[architecture], architecture, number, [argument]) == NOT_PERMITTED


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_no_process_is_started_in_a_new_namespace(
    programs: dict[int, Program], architecture: int
) -> None:
    program, number = programs[architecture], CLONE[architecture]
    a_thread, a_child = 0x3D0F00, signal.SIGCHLD
    for flags in (a_thread, a_child):
        assert decide(program, architecture, number, [flags]) == ALLOW
        for namespace in NEW_NAMESPACES.values():
            assert decide(program, architecture, number, [flags | namespace]) == NOT_PERMITTED
            hidden = flags | namespace | 2**63
            assert decide(program, architecture, number, [hidden]) == NOT_PERMITTED
    assert decide(program, architecture, CLONE3) == NO_SUCH_CALL


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_launcher_cannot_be_limited(programs: dict[int, Program], architecture: int) -> None:
    program, calls = programs[architecture], LIMITING[architecture]

    def verdict(call: str, *arguments: int) -> int:
        return decide(program, architecture, calls[call], arguments)

    a_limit, hidden = 0x7F00_0000_1000, 2**32
    for launcher in (LAUNCHER, LAUNCHER + hidden):
        assert verdict("prlimit64", launcher, 0, a_limit) == NOT_PERMITTED
        assert verdict("prlimit64", launcher, 0, 0) == ALLOW
        assert verdict("sched_setaffinity", launcher) == NOT_PERMITTED
        assert verdict("setpriority", 0, launcher) == NOT_PERMITTED
        assert verdict("ioprio_set", 1, launcher) == NOT_PERMITTED
    for itself in (0, LAUNCHER + 1):
        assert verdict("prlimit64", itself, 0, a_limit) == ALLOW
        assert verdict("sched_setaffinity", itself) == ALLOW
        assert verdict("setpriority", 0, itself) == ALLOW
        assert verdict("ioprio_set", 1, itself) == ALLOW
    for group_or_user in (1, 2):
        assert verdict("setpriority", group_or_user, 0) == NOT_PERMITTED
        assert verdict("ioprio_set", group_or_user + 1, 0) == NOT_PERMITTED


@pytest.mark.parametrize(
    ("architecture", "foreign"),
    [
        (X86_64, I386),
        (X86_64, AARCH64),
        (AARCH64, ARM),
        (AARCH64, X86_64),
        (X86_64, 0),
        (AARCH64, 0),
    ],
)
def test_a_call_of_a_foreign_abi_kills(
    programs: dict[int, Program], architecture: int, foreign: int
) -> None:
    for number in range(512):
        assert decide(programs[architecture], foreign, number, [socket.AF_UNIX]) == KILL


def test_a_kernel_that_does_not_say_what_it_can_kill_kills_the_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So does gVisor, where libseccomp refuses the attribute."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(pyseccomp.SyscallFilter, "set_attr", refuse)
    program = export(build(pyseccomp.Arch.X86_64))
    assert decide(program, I386, CALLS[X86_64]["read"]) == KILL_THREAD
    assert decide(program, X86_64, CALLS[X86_64]["read"]) == ALLOW


def test_a_call_of_x32_kills(programs: dict[int, Program]) -> None:
    for number in (*range(600), 2**29):
        verdict = decide(programs[X86_64], X86_64, X32 | number, [socket.AF_UNIX])
        assert verdict == KILL


def test_what_is_installed_is_the_filter_of_this_machine(programs: dict[int, Program]) -> None:
    machine = {"x86_64": X86_64, "aarch64": AARCH64}[platform.machine()]
    assert export(build()) == programs[machine]


FOREIGN_CALLS = """
import ctypes, mmap
print('before', flush=True)
{call}
print('after', flush=True)
"""
CALL_X32 = "ctypes.CDLL(None).syscall(0x40000000 | 39)"
# mov eax, 20 (getpid); int 0x80; ret
CALL_I386 = (
    "code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
    "code.write(bytes.fromhex('b814000000cd80c3'))\n"
    "address = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
    "ctypes.CFUNCTYPE(ctypes.c_int)(address)()"
)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are ABIs of x86-64")
@pytest.mark.parametrize("call", [CALL_X32, CALL_I386], ids=["x32", "i386"])
def test_user_code_that_calls_through_a_foreign_abi_is_killed(
    new_runner: NewRunner, call: str
) -> None:
    finished = new_runner().client.run(FOREIGN_CALLS.format(call=call))
    assert (finished.outcome, finished.text) == ("CodeError", "before\n")
    assert finished.result["exit"] == {"code": None, "signal": signal.SIGSYS}


CONNECT_AS_URLLIB3_DOES = """
def connect(host):
    failed = None
    for family, kind, protocol, _, address in socket.getaddrinfo(host, 443, 0, socket.SOCK_STREAM):
        sock = None
        try:
            sock = socket.socket(family, kind, protocol)
            sock.connect(address)
            return sock
        except OSError as error:
            failed = error
            if sock is not None: sock.close()
    raise failed
"""
CALLS_OF_PYTHON = [
    "socket.socket()",
    "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "socket.socketpair(socket.AF_INET)",
    "socket.create_connection(('192.0.2.1', 80))",
    "socket.create_connection(('example.invalid', 80))",
    "socket.create_server(('127.0.0.1', 0))",
    "socket.getaddrinfo('example.invalid', 80)",
    "socket.gethostbyname('example.invalid')",
    "socket.gethostbyname_ex('example.invalid')",
    "socket.gethostbyaddr('192.0.2.1')",
    "urllib.request.urlopen('http://192.0.2.1/')",
    "urllib.request.urlopen('https://example.invalid/')",
    "http.client.HTTPConnection('192.0.2.1').request('GET', '/')",
    "http.client.HTTPSConnection('example.invalid').request('GET', '/')",
    "asyncio.run(asyncio.open_connection('192.0.2.1', 80))",
    "asyncio.run(asyncio.open_connection('example.invalid', 80))",
    "pd.read_csv('https://example.invalid/a.csv')",
    "pd.read_csv('http://192.0.2.1/a.csv')",
    "connect('192.0.2.1')",
    "connect('example.invalid')",
]


def test_python_code_reads_that_the_network_is_disabled(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import asyncio, http.client, socket, urllib.request\n"
        f"{CONNECT_AS_URLLIB3_DOES}\n"
        f"for call in {CALLS_OF_PYTHON!r}:\n"
        "    try: eval(call)\n"
        "    except OSError as error: print(call, '->', error)\n"
        "    else: print(call, 'was not refused')\n"
    )
    lines = finished.text.splitlines()
    assert len(lines) == len(CALLS_OF_PYTHON), finished.error
    assert [line for line in lines if "Network access is disabled" not in line] == []


def test_a_refused_socket_ends_code_with_a_readable_error(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("import socket\nsocket.create_connection(('192.0.2.1', 80))")
    assert finished.outcome == "CodeError"
    assert finished.error["type"] == "PermissionError"
    assert finished.error["message"] == "[Errno 13] Network access is disabled"
    assert finished.error["line"] == 2


def test_the_traceback_has_the_reason_where_a_library_hides_it(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("pd.read_json('https://example.invalid/a.json')")
    assert finished.error["type"] == "FileNotFoundError"
    assert "Network access is disabled" in finished.error["traceback"]


def test_unix_sockets_work(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import asyncio, socket\n"
        "a, b = socket.socketpair()\n"
        "a.send(b'pair'); print(b.recv(10).decode())\n"
        "server = socket.socket(socket.AF_UNIX)\n"
        "server.bind('local.sock'); server.listen()\n"
        "client = socket.socket(socket.AF_UNIX); client.connect('local.sock')\n"
        "client.send(b'named'); print(server.accept()[0].recv(10).decode())\n"
        "print(asyncio.run(asyncio.sleep(0, 'loop')), socket.gethostbyname('192.0.2.1'))\n"
    )
    assert finished.text == "pair\nnamed\nloop 192.0.2.1\n", finished.error


@pytest.mark.executed
def test_no_child_process_and_no_native_call_bypasses_the_filter(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import ctypes, os, socket, subprocess, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, 17, 38, 40):\n"
        "    print(libc.socket(family, socket.SOCK_STREAM, 0), ctypes.get_errno())\n"
        "for number in (425, 426, 427):\n"
        "    print(libc.syscall(number, 1, 0), os.strerror(ctypes.get_errno()))\n"
        "sys.stdout.flush()\n"
        "probe = 'import socket\\ntry: socket.socket()\\nexcept PermissionError: print(7)'\n"
        "subprocess.run([sys.executable, '-c', probe])\n"
    )
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        *["-1 13"] * 6,
        *["-1 Function not implemented"] * 3,
        "7",
    ]


@pytest.mark.executed
def test_the_filter_can_be_left_out_to_prove_the_network_policy(new_runner: NewRunner) -> None:
    runner = new_runner(worker_environment={"ASSAY_NETWORK_FILTER": "off"})
    assert runner.client.run("import socket; socket.socket(); print('open')").text == "open\n"
