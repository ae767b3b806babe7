"""Starts processes of the runner by fork, from one that has imported what they import.

`ForkServer` starts it as `python -s -u main.py`, which gets no further than the import of
`sitecustomize`. What the processes do from then on, they do as they would after an exec of the real
command line, of which each one costs a second of imports: a worker for Python code returns from
here, so that CPython runs its script.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from assay_runner.launcher.command import Command

_MAX_REQUEST_BYTES = 64 * 1024
_FIRST_UNUSED_FD = 4
_PR_SET_DUMPABLE = 4
_kept: list[object] = []


class _Exec(BaseException):
    """Unwinds the launcher's stack in the process that it has forked."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        super().__init__()
        self.arguments = arguments
        self.environment = environment


def serve(descriptor: str, *modules: str) -> None:
    """Fork a process for each request, and tell how each ended.

    Returns only in a process that has become a worker for Python code.
    """
    requests = socket.socket(fileno=int(descriptor))
    for name in modules:
        importlib.import_module(name)
    _load_seccomp()
    # A collection in a child would write to, and so copy, what it has in common with its parent.
    gc.freeze()
    selector = selectors.DefaultSelector()
    selector.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is requests:
                request, descriptors, _, _ = socket.recv_fds(requests, _MAX_REQUEST_BYTES, 3)
                if not request:
                    os._exit(0)
                if _start(json.loads(request), descriptors, selector):
                    return
            else:
                _tell_end(key, selector)


def _load_seccomp() -> None:
    if "assay_runner.launcher.system_call_filter" in sys.modules:
        from assay_runner.launcher import system_call_filter

        system_call_filter.build(0, network=True)


def _start(
    request: Mapping[str, object], descriptors: Sequence[int], selector: selectors.BaseSelector
) -> bool:
    status = socket.socket(fileno=descriptors[2])
    pid = os.fork()
    if pid == 0:
        _end_by(lambda: _run(request, descriptors))
        return True
    for descriptor in descriptors[:2]:
        os.close(descriptor)
    status.send(str(pid).encode())
    selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, status))
    return False


def _end_by(action: Callable[[], None]) -> None:
    """End this process by what is done in it, or return where it has become a Python worker."""
    try:
        action()
    except _Exec as execution:
        # Its frames have objects with descriptors that are no longer theirs to close.
        _kept.append(execution)
        _go_on_as(execution.arguments, execution.environment)
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    else:
        os._exit(1)


def _tell_end(key: selectors.SelectorKey, selector: selectors.BaseSelector) -> None:
    pid, status = key.data
    selector.unregister(key.fileobj)
    os.close(key.fd)
    _, wait_status = os.waitpid(pid, 0)
    # Nobody may wait for it any more.
    with contextlib.suppress(OSError):
        status.send(str(os.waitstatus_to_exitcode(wait_status)).encode())
    status.close()


def _run(request: Mapping[str, object], descriptors: Sequence[int]) -> None:
    for target, descriptor in enumerate(descriptors[:2], start=1):
        os.dup2(descriptor, target)
    os.closerange(_FIRST_UNUSED_FD - 1, os.sysconf("SC_OPEN_MAX"))
    os.chdir(str(request["directory"]))
    if "assay_runner.launcher.worker_process" in sys.modules:
        from assay_runner.launcher import worker_process

        worker_process._become_worker = _become_worker
        worker_process.script_path = lambda command: sys.orig_argv[-1]
    _become(request["module"], request["arguments"], request["environment"])


def _become_worker(
    command: Command,
    outputs: tuple[int, int],
    control: socket.socket,
    stack: int,
    launcher: int,
) -> NoReturn:
    from assay_runner.launcher import worker_process
    from assay_runner.workers import WORKERS

    os.dup2(outputs[0], 1)
    os.dup2(outputs[1], 2)
    environment = worker_process._confine(command, control, stack, launcher)
    raise _Exec(WORKERS[command.worker].command, environment)


def _go_on_as(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Do in this process what the interpreter would do that the launcher would exec."""
    assert arguments[0] == sys.executable
    if "main.py" not in arguments and "-m" not in arguments:
        os.execve(arguments[0], list(arguments), environment)  # noqa: S606 - without a shell
    # What exec does, and then the start of the interpreter.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if arguments[-1] == "main.py":
        sys.argv = sys.orig_argv[-1:]
        os.environ.clear()
        os.environ.update(environment)
        sys.path.insert(0, environment["PYTHONPATH"])
        importlib.import_module("assay_runner.worker.preparation").prepare_script(0.0)
    else:
        module = arguments[arguments.index("-m") + 1]
        _end_by(lambda: _become(module, [], environment))


def _become(module: object, arguments: object, environment: object) -> None:
    assert isinstance(module, str)
    assert isinstance(arguments, list)
    assert isinstance(environment, Mapping)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
