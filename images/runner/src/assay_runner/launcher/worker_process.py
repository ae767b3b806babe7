"""Forks and confines the worker process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Mapping
from typing import NoReturn

from assay_runner.launcher.command import Command
from assay_runner.launcher.hardening import undo_for_worker
from assay_runner.launcher.source_links import link_sources
from assay_runner.launcher.surroundings import surroundings, temporary_directory
from assay_runner.launcher.system_call_filter import install
from assay_runner.stack import STACK_FD
from assay_runner.workers import WORKERS

# With a display, a terminal or a browser, libraries would open a window or a web server.
# ASSAY_SOCKET is the supervisor's socket; libraries know ASSAY_CPUS by other names.
_LEFT_OUT = (
    *("BROWSER", "DISPLAY", "TERM", "WAYLAND_DISPLAY"),
    *("ASSAY_CPUS", "ASSAY_DISPLAY_NAMES", "ASSAY_LINGER_MS", "ASSAY_SOCKET"),
    *(name for worker in WORKERS.values() for name in worker.settings),
)
_EXEC_FAILED = 127


def start(command: Command, outputs: tuple[int, int], control: socket.socket, stack: int) -> int:
    """Fork and exec the worker; returns its process ID.

    Args:
        command: which worker to start and where.
        outputs: what becomes the worker's stdout and stderr: the write end of the output pipe, and
            the same or a file.
        control: the worker's end of the control socket, which it finds where `WORKERS` says.
        stack: the file for the stack at the deadline, which becomes descriptor `STACK_FD`.

    A worker that cannot be started writes the reason to its stderr and exits with 127.
    """
    launcher = os.getpid()
    return os.fork() or _become_worker(command, outputs, control, stack, launcher)


def _become_worker(
    command: Command,
    outputs: tuple[int, int],
    control: socket.socket,
    stack: int,
    launcher: int,
) -> NoReturn:
    try:
        os.dup2(outputs[0], 1)
        os.dup2(outputs[1], 2)
        environment = _confine(command, control, stack, launcher)
        arguments = WORKERS[command.worker].command
        os.execve(arguments[0], arguments, environment)  # noqa: S606 - without a shell
    except BaseException as error:  # The child must not return.
        os.write(2, f"the worker could not be started: {error}\n".encode())
    finally:
        os._exit(_EXEC_FAILED)


def _confine(command: Command, control: socket.socket, stack: int, launcher: int) -> dict[str, str]:
    """Confine the calling process; returns the worker's environment."""
    undo_for_worker()
    os.chdir(command.workspace)
    link_sources(command.datasets_directory, command.workspace, command.display_names)
    environment = worker_environment(os.environ, command)
    _link_font_cache(command.matplotlib_cache, environment["MPLCONFIGDIR"])
    _place(control.fileno(), WORKERS[command.worker].control_fd, stack)
    install(launcher, network=command.network_filter)
    os.closerange(STACK_FD + 1, os.sysconf("SC_OPEN_MAX"))
    return environment


def _place(control: int, control_fd: int, stack: int) -> None:
    """Give the two descriptors their numbers, and stdin to /dev/null if neither takes it."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # Copied above these numbers first, so that neither takes the other's place.
    copies = [fcntl.fcntl(fd, fcntl.F_DUPFD, STACK_FD + 1) for fd in (control, stack)]
    for copy, target in zip(copies, (control_fd, STACK_FD), strict=True):
        os.dup2(copy, target)


def script_path(command: Command) -> str:
    """Return the path of the script as it is in tracebacks."""
    return os.path.join(os.path.realpath(command.workspace), WORKERS["python"].command[-1])


def worker_environment(environment: Mapping[str, str], command: Command) -> dict[str, str]:
    """Return the environment for user code.

    HOME is the scratch directory; variables about the cluster are removed.
    """
    scratch = command.scratch
    temporary = temporary_directory(environment, scratch)
    kept = {
        name: value
        for name, value in environment.items()
        if name not in _LEFT_OUT and not name.startswith(("KUBERNETES_", "PYTHON"))
    }
    kept.update(surroundings(environment))
    worker = WORKERS[command.worker]
    kept.update(worker.environment)
    kept.update((name, environment[name]) for name in worker.settings if name in environment)
    if command.datasets:
        # The worker's first process removes it.
        kept["RUN_DATASETS"] = " ".join(command.datasets)
    # The user may be missing in /etc/passwd.
    user = kept.setdefault("USER", "assay")
    kept.setdefault("LOGNAME", user)
    kept.update(
        HOME=scratch,
        TMPDIR=temporary,
        PWD=command.workspace,
        MPLBACKEND="module://assay_runner.worker.matplotlib_backend",
        # Not in the working directory, whose content code may list.
        MPLCONFIGDIR=f"{temporary}/.config/matplotlib",
    )
    return kept


def _link_font_cache(source: str, target: str) -> None:
    """Link the files of matplotlib's directory into a new one that the worker may write to."""
    # Without them, matplotlib only starts more slowly, and lacks letters.
    with contextlib.suppress(OSError):
        names = os.listdir(source)
        os.makedirs(target)
        for name in names:
            os.symlink(os.path.join(source, name), os.path.join(target, name))
