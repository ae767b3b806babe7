"""Starts the worker, hands its pipes to the supervisor, waits, kills, and reports the exit."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import time

from assay_runner.frames import (
    MAX_DESCRIPTORS,
    PIPE_BYTES,
    FrameError,
    FrameReader,
    Message,
    encode,
)
from assay_runner.launcher import worker_process
from assay_runner.launcher.command import Command
from assay_runner.launcher.container_memory import is_memory_short, oom_kills
from assay_runner.launcher.given_datasets import GivenDatasets
from assay_runner.launcher.killing import kill_all_but, kill_everything, reap_exited, suspend
from assay_runner.launcher.left_files import are_left
from assay_runner.launcher.usage import Usage, usage
from assay_runner.stack import SIGNAL, StackFile, is_caught
from assay_runner.workers import WORKERS

# The paths of a `collect`, with every character escaped.
_MAX_FRAME_BYTES = 128 * 1024
_READ_BYTES = 4096
_CONNECT_PAUSE_SECONDS = 0.01
# Where Pods start slowly, looking more often would slow them down further.
_CONNECT_PAUSE_OF_WAIT = 0.1
_CONNECT_LIMIT_SECONDS = 300.0
_MAX_GRACE_MS = 60_000
# In JSON, a character takes six bytes at most, so that they fit into the launcher's report.
_MAX_ERROR_BYTES = 1024


class Launcher:
    """Launches one worker and reports its exit to the supervisor."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._worker = 0
        self._exit: Message | None = None
        self._has_announced_end = False
        self._collect: Message | None = None
        self._commands = FrameReader(_MAX_FRAME_BYTES)
        self._datasets = GivenDatasets(command)
        # Before there is a process that could put something else in its place.
        self._workspace = _opened(command.workspace)
        self._stack = StackFile()
        worker = WORKERS[command.worker]
        self._writes_stack = worker.writes_stack
        self._errors = os.memfd_create("errors") if worker.own_errors else None
        self._terminate_at: float | None = None
        self._stop_at: float | None = None
        self._oom_kills_before = oom_kills()

    def run(self) -> int:
        """Return 0 if the worker's exit was reported to the supervisor, otherwise 1."""
        wakeup = _wake_on_child_exit()
        output, worker_output = os.pipe()
        control, worker_control = socket.socketpair()
        self._worker = worker_process.start(
            self._command,
            (worker_output, worker_output if self._errors is None else self._errors),
            worker_control,
            self._stack.descriptor,
        )
        os.close(worker_output)
        worker_control.close()
        too_small = _enlarge(output)
        # The worker imports its libraries while the supervisor may still be starting.
        link = _connect(self._command.socket_path)
        if link is None:
            kill_everything(self._reaped)
            return 1
        hello = {"type": "hello", "worker": self._command.worker, "pipeError": too_small}
        try:
            socket.send_fds(link, [encode(hello)], [output, control.fileno()])
        except OSError as error:
            # The kernel limits the descriptors in flight for each user.
            kill_everything(self._reaped)
            reason = f"could not hand over the output pipe: {error.strerror}"
            _send(link, {"type": "failed", "message": reason})
            return 1
        os.close(output)
        control.close()
        # Here, and not at the top: the worker starts sooner, and imports its libraries meanwhile.
        import assay_runner.launcher.collection  # noqa: F401 - used by _report

        with contextlib.suppress(OSError):
            self._wait(link, wakeup)
        has_files = self._settle_files(link)
        reported = self._exit is not None and self._report(link, self._exit, has_files)
        if reported:
            self._linger()
        kill_everything(self._reaped)
        return 0 if reported else 1

    def _settle_files(self, link: socket.socket) -> bool:
        """Return whether there are files to be collected, once nothing changes them any more.

        Of files that a process makes after an announced end, none is collected.
        """
        with contextlib.suppress(OSError):
            # What was sent before the worker had its job has come by now.
            link.setblocking(False)
            while self._obey(link):
                pass
        link.setblocking(True)
        if self._has_announced_end and not self._leaves_files():
            return False
        # To collect files takes memory, which the stopped worker still has.
        if self._has_announced_end and not is_memory_short():
            self._kill_others()
        else:
            kill_everything(self._reaped)
        return self._leaves_files()

    def _kill_others(self) -> None:
        """Kill all processes but the stopped worker, and it too if others do not end in time."""
        if not kill_all_but(self._worker, self._reaped):
            kill_everything(self._reaped)

    def _linger(self) -> None:
        """Delay the end of the container, in which nothing but the stopped worker is left."""
        # Why a container was killed, the kubelet tells only once it has ended.
        if self._exit is None or self._exit["signal"] is not None:
            return
        if self._has_announced_end:
            self._kill_others()
        time.sleep(self._command.linger_seconds)

    def _report(self, link: socket.socket, report: Message, has_files: bool) -> bool:
        """Report the exit, and hand over the files that code has left; False if that failed."""
        if self._collect is None:
            return _send(link, report)
        if self._workspace is None or not has_files:
            return _send(link, report, {"type": "collected", "message": None})
        if not _send(link, report):
            return False
        # Already loaded by `run`.
        from assay_runner.launcher.collection import collect

        with contextlib.suppress(OSError):
            collect(self._workspace, self._collect, link)
            return True
        return False

    def _leaves_files(self) -> bool:
        if self._workspace is None or self._collect is None:
            return False
        return are_left(self._workspace, self._collect)

    def _wait(self, link: socket.socket, wakeup: int) -> None:
        """Return when the worker has exited, its grace period has passed, or the link is closed."""
        poll = select.poll()
        poll.register(link, select.POLLIN)
        poll.register(wakeup, select.POLLIN)
        reap_exited(self._reaped)
        while self._exit is None:
            ready = [descriptor for descriptor, _ in poll.poll(self._poll_timeout_ms())]
            if wakeup in ready:
                os.read(wakeup, 4096)
                reap_exited(self._reaped)
            if link.fileno() in ready and not self._obey(link):
                return
            if self._terminate_at is not None and time.monotonic() >= self._terminate_at:
                self._terminate()
            if self._stop_at is not None and time.monotonic() >= self._stop_at:
                return

    def _poll_timeout_ms(self) -> float | None:
        times = [at for at in (self._terminate_at, self._stop_at) if at is not None]
        return max(min(times) - time.monotonic(), 0) * 1000 + 1 if times else None

    def _obey(self, link: socket.socket) -> bool:
        """Handle the supervisor's messages; False if the link is closed or a message is invalid."""
        data, descriptors, _, _ = socket.recv_fds(link, _READ_BYTES, MAX_DESCRIPTORS)
        self._datasets.received(descriptors)
        if not data:
            return False
        try:
            for message in self._commands.feed(data):
                if message.get("type") == "collect":
                    self._collect = message
                    continue
                if message.get("type") == "ended":
                    self._take_announced_end(message.get("code"))
                    continue
                if message.get("type") == "dataset":
                    if not self._take_dataset(link, message):
                        return False
                    continue
                grace = message.get("graceMs")
                if message.get("type") != "stop" or not isinstance(grace, int):
                    return False
                self._stop(min(max(grace, 0), _MAX_GRACE_MS))
        except FrameError:
            return False
        return True

    def _take_dataset(self, link: socket.socket, message: Message) -> bool:
        """Link the datasets once all have come; False if that failed."""
        self._datasets.add(message)
        if not message.get("last"):
            return True
        try:
            self._datasets.link()
        except OSError as error:
            reason = f"could not link the datasets: {error.strerror}"
            _send(link, {"type": "failed", "message": reason})
            return False
        return _send(link, {"type": "linked"})

    def _take_announced_end(self, code: object) -> None:
        """Take the exit code that the worker has announced for its exit.

        Waits for its exit nevertheless where only the kernel knows what the worker and its children
        have used.
        """
        if self._exit is None and isinstance(code, int):
            used = usage(self._worker)
            if used is not None:
                self._has_announced_end = True
                suspend(self._worker)
                self._exit = self._exited(code, used)

    def _stop(self, grace_ms: int) -> None:
        now = time.monotonic()
        stop_at = now + grace_ms / 1000
        self._stop_at = stop_at if self._stop_at is None else min(stop_at, self._stop_at)
        writes_stack = self._writes_stack and self._stack.is_empty()
        if self._exit is None and writes_stack and is_caught(self._worker):
            # The worker could not write its stack by itself. SIGTERM would not let it finish.
            os.kill(self._worker, SIGNAL)
            self._terminate_at = now + grace_ms / 2000
        else:
            self._terminate()

    def _terminate(self) -> None:
        self._terminate_at = None
        if self._exit is None:
            os.kill(self._worker, signal.SIGTERM)

    def _reaped(self, pid: int, status: int, resources: object) -> None:
        if pid != self._worker or self._has_announced_end:
            return
        cpu_seconds = getattr(resources, "ru_utime", 0.0) + getattr(resources, "ru_stime", 0.0)
        used = Usage(round(cpu_seconds * 1000), getattr(resources, "ru_maxrss", 0) * 1024)
        self._exit = self._exited(os.waitstatus_to_exitcode(status), used)

    def _exited(self, code: int, used: Usage) -> Message:
        """Return the report; a negative code is a signal."""
        return {
            "type": "exited",
            "code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "oomKilled": self._was_killed_for_memory(),
            "cpuMs": used.cpu_ms,
            "peakMemoryBytes": used.peak_memory_bytes,
            "stack": self._stack.frames(worker_process.script_path(self._command)),
            **({} if self._errors is None else {"errors": _end_of(self._errors)}),
        }

    def _was_killed_for_memory(self) -> bool:
        now = oom_kills()
        return now is not None and now > (self._oom_kills_before or 0)


def _opened(directory: str) -> int | None:
    """Open a directory for what is below it; None if that fails, as the worker will report."""
    try:
        return os.open(directory, os.O_PATH | os.O_DIRECTORY)
    except OSError:
        return None


def _end_of(file: int) -> str:
    """Return the end of the text in a file."""
    size = os.fstat(file).st_size
    data = os.pread(file, _MAX_ERROR_BYTES, max(size - _MAX_ERROR_BYTES, 0))
    return data.decode("utf-8", "replace").strip()


def _wake_on_child_exit() -> int:
    """Return a descriptor that becomes readable on SIGCHLD.

    A SIGCHLD from user code only wakes the launcher.
    """
    readable, writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return readable


def _enlarge(pipe: int) -> str | None:
    """Raise a pipe's capacity; returns the reason if the kernel refuses, such as a user's quota."""
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError as error:
        return error.strerror
    return None


def _send(link: socket.socket, *messages: Message) -> bool:
    try:
        link.sendall(b"".join(map(encode, messages)))
    except OSError:
        return False
    return True


def _connect(path: str) -> socket.socket | None:
    """Connect to the supervisor, which may start later; None after the time limit."""
    began_at = time.monotonic()
    while (waited := time.monotonic() - began_at) < _CONNECT_LIMIT_SECONDS:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            link.close()
            time.sleep(max(_CONNECT_PAUSE_SECONDS, waited * _CONNECT_PAUSE_OF_WAIT))
        else:
            return link
    return None
