"""One container's life: start, wait, end as a whole."""

from __future__ import annotations

import contextlib
import os
import select
import signal

from assay_container import memory_group, namespaces
from assay_container.control import Control
from assay_container.memory_group import MemoryGroup
from assay_container.processes import descendants, kill_descendants
from assay_container.specification import Specification
from assay_container.system_calls import (
    adopt_orphans,
    die_with_parent,
    leave_session_keyring,
)

_REPORT = 2
_STARTED = "started"
_STARTED_IN_MEMORY_GROUP = "started in a memory group"
_OUT_OF_MEMORY = "out of memory"
_NOT_STARTED = 128
_KILLED = 128 + signal.SIGKILL
_READ_BYTES = 4096


class Container:
    """The process that was specified, and all that it starts.

    Args:
        specification: what to run.
        control: says when to end.
    """

    def __init__(self, specification: Specification, control: Control) -> None:
        self._specification = specification
        self._control = control
        self._process = 0
        self._exit_code: int | None = None
        self._memory_group: MemoryGroup | None = None

    def run(self) -> int:
        """Return the exit code, after the last process has ended."""
        adopt_orphans()
        wakeup = _wake_on_child_exit()
        limit = self._specification.memory_limit_bytes
        self._memory_group = None if limit is None else memory_group.create(limit)
        problem = self._start()
        _report(problem or (_STARTED if self._memory_group is None else _STARTED_IN_MEMORY_GROUP))
        if problem:
            self._exit_code = _NOT_STARTED
        with contextlib.suppress(EOFError):
            self._wait(wakeup)
        kill_descendants()
        if self._memory_group is not None:
            if self._memory_group.ran_out():
                _report(_OUT_OF_MEMORY)
            self._memory_group.remove()
        return _KILLED if self._exit_code is None else self._exit_code

    def _start(self) -> str:
        """Return why it could not be started; nothing where it was."""
        told, tell = os.pipe()
        try:
            if self._specification.root is not None:
                namespaces.separate(self._specification)
            self._process = os.fork()
        except OSError as error:
            return str(error)
        if self._process == 0:
            self._become_it(tell)
        os.close(tell)
        problem = b""
        while data := os.read(told, _READ_BYTES):
            problem += data
        os.close(told)
        return problem.decode(errors="replace").replace("\n", " ")

    def _become_it(self, tell: int) -> None:
        try:
            die_with_parent(signal.SIGKILL)
            if self._memory_group is not None:
                self._memory_group.enter()
            leave_session_keyring()
            os.dup2(1, 2)
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_DFL)
            signal.set_wakeup_fd(-1)
            if self._specification.root is not None:
                namespaces.confine(self._specification, self._specification.root)
            os.setsid()
            os.umask(0o022)
            os.chdir(self._specification.directory)
            os.dup2(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), 0)
            argv, environment = self._specification.argv, self._specification.environment
            os.execvpe(argv[0], argv, environment)
        except BaseException as error:  # The child must never return from here.
            os.write(tell, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(_NOT_STARTED)

    def _wait(self, wakeup: int) -> None:
        """Return when the process has ended.

        Raises:
            EOFError: if all must end now.
        """
        poll = select.poll()
        poll.register(self._control.descriptor, select.POLLIN)
        poll.register(wakeup, select.POLLIN)
        self._reap()
        while self._exit_code is None:
            said = self._control.has_more()
            ready = [descriptor for descriptor, _ in poll.poll(0 if said else None)]
            if wakeup in ready:
                os.read(wakeup, _READ_BYTES)
                self._reap()
            said = said or self._control.descriptor in ready
            if said and self._control.asks_to_terminate():
                self._terminate()

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._process:
                    code = os.waitstatus_to_exitcode(status)
                    self._exit_code = code if code >= 0 else 128 - code

    def _terminate(self) -> None:
        # A program that wraps the container's process would kill it instead of passing this on.
        target: int | None = self._process
        if self._specification.wrapped:
            target = next(descendants(self._process), None)
        if target is not None and self._exit_code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(target, signal.SIGTERM)


def _report(line: str) -> None:
    # Nobody may be left to read it.
    with contextlib.suppress(BrokenPipeError):
        os.write(_REPORT, f"{line}\n".encode())


def _wake_on_child_exit() -> int:
    """Return a descriptor that becomes readable on SIGCHLD."""
    readable, writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return readable
