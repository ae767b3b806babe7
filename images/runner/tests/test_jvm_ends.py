"""The JVM workers end at once when they have said that only the end of their process is left.

`./mvnw package` makes the workers. Without them, or without a JDK, the tests are skipped and say
so.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import jvm_layout
from assay_runner.frames import MAX_JOB_FRAME_BYTES, FrameReader, Message, encode

pytestmark = pytest.mark.slow

MIB = 2**20
PATIENCE_SECONDS = 60.0

# Java waits for such a thread and for such a hook, unless the process is halted.
LINGERING = """
public final class Lingering {
  public static void main(String[] arguments) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(Lingering::linger));
    new Thread(Lingering::linger).start();
    var worker = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
    worker.setAccessible(true);
    worker.invoke(null, (Object) new String[0]);
  }

  private static void linger() {
    while (true) {
      java.util.concurrent.locks.LockSupport.park();
    }
  }
}
"""

SQL = {"kind": "sql", "datasets": [], "reply": {"rows": 1}}
SCRIPT = {"kind": "javascript", "language": "javascript"}


def _messages(connection: socket.socket) -> Iterator[Message]:
    """Yield what a worker says, until its process has ended."""
    reader = FrameReader(MAX_JOB_FRAME_BYTES)
    while data := connection.recv(65_536):
        yield from reader.feed(data)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(
    ("jar", "main", "job", "codes"),
    [
        pytest.param(
            "worker.jar",
            "dev.assay.jvm.WorkerMain",
            SQL,
            ("SELECT 1", "SELECT nothing"),
            marks=jvm_layout.needs("worker.jar"),
            id="jvm",
        ),
        pytest.param(
            "javascript.jar",
            "dev.assay.jvm.javascript.JavaScriptMain",
            SCRIPT,
            ("1", "null.property"),
            marks=jvm_layout.needs("javascript.jar"),
            id="javascript",
        ),
    ],
)
def test_a_worker_is_halted_after_its_last_message(
    tmp_path: Path,
    jar: str,
    main: str,
    job: dict[str, object],
    codes: tuple[str, str],
    fails: bool,
) -> None:
    directory = jvm_layout.make(tmp_path)
    program = tmp_path / "Lingering.java"
    program.write_text(LINGERING)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    command = [
        str(directory / "jre" / "bin" / "java"),
        *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"),
        "--enable-native-access=ALL-UNNAMED",
        f"-Djava.library.path={directory / 'native'}",
        *("-cp", str(directory / jar), str(program), main),
    ]
    environment = {
        "PATH": os.environ["PATH"],
        "ASSAY_MEMORY_BYTES": str(512 * MIB),
        "ASSAY_SCRATCH_DIR": str(workspace),
        "ASSAY_SCRATCH_BYTES": str(64 * MIB),
    }
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = subprocess.Popen(
                command, stdin=theirs.fileno(), cwd=workspace, env=environment
            )
        with process:
            try:
                ours.settimeout(PATIENCE_SECONDS)
                messages = _messages(ours)
                assert next(messages)["type"] == "ready"
                ours.sendall(encode({"type": "job", **job, "code": codes[fails]}))
                rest = list(messages)
                status = process.wait(PATIENCE_SECONDS)
            finally:
                process.kill()
    assert [message["type"] for message in rest] == ["started", "result", "ended"]
    assert (rest[1]["error"] is not None, rest[2]["code"]) == (fails, status)
    assert status == int(fails)
