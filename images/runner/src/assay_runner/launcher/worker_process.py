"""Forks the one worker process."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Mapping

from assay_runner.launcher.command import Command
from assay_runner.launcher.hardening import undo_for_worker
from assay_runner.launcher.system_call_filter import install

CONTROL_FD = 3
# With a display, a terminal or a browser, libraries would try to open a window or a web server. The
# socket is the supervisor's.
_LEFT_OUT = ("BROWSER", "DISPLAY", "TERM", "WAYLAND_DISPLAY", "ASSAY_SOCKET")
_FIRST_UNUSED_FD = 4
_EXEC_FAILED = 127


def start(command: Command, output: int, control: socket.socket) -> int:
    """Fork and exec the worker; returns its process id.

    Args:
        command: which worker to start and where.
        output: write end of the output pipe, which becomes the worker's stdout and stderr.
        control: the worker's end of the control socket, which becomes its descriptor 3.

    A worker that cannot be started says why on the output pipe and exits with 127.
    """
    launcher = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.dup2(output, 1)
        os.dup2(output, 2)
        _exec(command, control, launcher)
    except BaseException as error:  # The child must never return from here.
        os.write(2, f"the worker could not be started: {error}\n".encode())
    finally:
        os._exit(_EXEC_FAILED)


def _exec(command: Command, control: socket.socket, launcher: int) -> None:
    undo_for_worker()
    os.chdir(command.scratch)
    environment = worker_environment(os.environ, command.scratch)
    _lend_files(command.matplotlib_cache, environment["MPLCONFIGDIR"])
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    if control.fileno() == CONTROL_FD:
        os.set_inheritable(CONTROL_FD, True)
    else:
        os.dup2(control.fileno(), CONTROL_FD)
    install(launcher, network=command.network_filter)
    os.closerange(_FIRST_UNUSED_FD, os.sysconf("SC_OPEN_MAX"))
    # Isolated mode ignores PYTHON* variables; UTF-8 must not hang on the image's locale; and what C
    # code prints must keep its place in the output.
    arguments = [sys.executable, "-I", "-u", "-X", "utf8", "-m", command.module]
    for name in command.datasets:
        arguments += ["--dataset", name]
    os.execve(sys.executable, arguments, environment)  # noqa: S606 - no shell is wanted


def worker_environment(environment: Mapping[str, str], scratch: str) -> dict[str, str]:
    """Return the environment for user code.

    HOME and TMPDIR are the scratch directory; what tells of the cluster is left out.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if name not in _LEFT_OUT and not name.startswith("KUBERNETES_")
    }
    kept.update(
        HOME=scratch,
        TMPDIR=scratch,
        PWD=scratch,
        MPLBACKEND="module://assay_runner.worker.matplotlib_backend",
        MPLCONFIGDIR=f"{scratch}/.config/matplotlib",
    )
    return kept


def _lend_files(source: str, target: str) -> None:
    """Link a directory's files into a new one that the worker may write to."""
    # Without its caches a library only takes longer.
    with contextlib.suppress(OSError):
        names = os.listdir(source)
        os.makedirs(target)
        for name in names:
            os.symlink(os.path.join(source, name), os.path.join(target, name))
