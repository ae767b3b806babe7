"""The archive of loaded classes (an AOT cache), which makes later starts fast.

It is valid for one JVM and the jars as they were installed, so the first start makes it, beside
the program. A process of its own does so while the program runs, and puts the archive in place
when it is whole: a JVM that wrote it at its end would fail where the disk is full.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
from importlib import metadata
from pathlib import Path

from assay.program import Kind, Program


def archive_of(program: Program, kind: Kind) -> Path:
    """Where the archive of this version is, or will be."""
    return program.home / f"{kind}-{metadata.version('assay')}.aot"


def create_in_background(program: Program, kind: Kind, archive: Path) -> None:
    """Starts a process that makes the archive, and does not wait for it.

    That process is no child of this one: this one becomes the program, which knows of no other
    child.
    """
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            _create(program, kind, archive)
        os._exit(0)
    os.waitpid(child, 0)


def _create(program: Program, kind: Kind, archive: Path) -> None:
    unfinished = archive.with_name(f"{archive.name}.new.{os.getpid()}")
    try:
        log = os.open(
            archive.with_name(f"{kind}.log"), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644
        )
        # A client waits for the end of what the program writes.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if archive.exists():
            return
        # Also those of earlier versions: an upgrade leaves what the wheel did not contain.
        for left in archive.parent.glob(f"{kind}-*.aot*"):
            left.unlink(missing_ok=True)
        _yield_to_the_program()
        # Recording profiles needs C2, whose threads would compete with the program.
        options = ["-XX:TieredStopAtLevel=1", f"-XX:AOTCacheOutput={unfinished}"]
        made = subprocess.run(
            [*program.command(kind), *options, "-jar", str(program.jar), "load-classes", kind],
            check=False,
        )
        # The JVM ends well also where the child that writes the archive was killed: then it leaves
        # the file that the child read.
        if made.returncode == 0 and not unfinished.with_name(f"{unfinished.name}.config").exists():
            unfinished.replace(archive)
    except OSError:
        pass  # Another process makes it, or the disk is full: the program starts without it.
    finally:
        for left in archive.parent.glob(f"{unfinished.name}*"):
            left.unlink(missing_ok=True)
        os._exit(0)


def _yield_to_the_program() -> None:
    os.nice(19)
    # Where the scheduler groups processes by session, a nice value counts within one only.
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text("19")
