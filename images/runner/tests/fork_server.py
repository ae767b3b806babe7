"""Starts processes of the runner by fork, from one that has imported what they import.

Run by `ForkServer`, with the interpreter of the image: `fork_server.py DESCRIPTOR MODULE...`. What
the processes do from then on, they do as they would after an exec of the real command line, of
which each one costs a second of imports.
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
from collections.abc import Mapping, Sequence
from typing import NoReturn

_MAX_REQUEST_BYTES = 64 * 1024
_FIRST_UNUSED_FD = 4
_INTERPRETER_OPTIONS = ["-I", "-u", "-X", "utf8", "-m"]
_PR_SET_DUMPABLE = 4
_execve = os.execve


def main() -> None:
    """Fork a process for each request, and tell how each ended."""
    requests = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
    _load_seccomp()
    # A collection in a child would write to, and so copy, what it has in common with its parent.
    gc.freeze()
    with selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is requests:
                    request, descriptors, _, _ = socket.recv_fds(requests, _MAX_REQUEST_BYTES, 3)
                    if not request:
                        return
                    _start(json.loads(request), descriptors, selector)
                else:
                    _tell_end(key, selector)


def _load_seccomp() -> None:
    if "assay_runner.launcher.system_call_filter" in sys.modules:
        from assay_runner.launcher import system_call_filter

        system_call_filter.build(0, network=True)


def _start(
    request: Mapping[str, object], descriptors: Sequence[int], selector: selectors.BaseSelector
) -> None:
    status = socket.socket(fileno=descriptors[2])
    pid = os.fork()
    if pid == 0:
        try:
            _run(request, descriptors)
        except SystemExit as end:
            os._exit(end.code if isinstance(end.code, int) else 0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(1)
    for descriptor in descriptors[:2]:
        os.close(descriptor)
    status.send(str(pid).encode())
    selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, status))


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
    os.execve = _go_on_as  # type: ignore[assignment]
    _become(request["module"], request["arguments"], request["environment"])


def _go_on_as(path: str, arguments: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Do in this process what the interpreter would do that the launcher would exec."""
    options = len(_INTERPRETER_OPTIONS) + 1
    assert path == sys.executable == arguments[0]
    assert arguments[1:options] == _INTERPRETER_OPTIONS
    os.execve = _execve
    # What exec does, and then the start of the interpreter.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _become(arguments[options], arguments[options + 1 :], environment)
    raise AssertionError("a worker ends its process")


def _become(module: object, arguments: object, environment: object) -> None:
    assert isinstance(module, str)
    assert isinstance(arguments, list)
    assert isinstance(environment, Mapping)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
