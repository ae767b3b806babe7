"""The server of MCP whose tools both call: a program of this machine, by the SDK for Java.

It is `MeasuredUpstream` of the module e2e, which `dev/e2e` compiles.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from cluster.settings import REPOSITORY

_PACKAGE = "dev.assay.e2e.upstream"
_CLASSES = REPOSITORY / "e2e" / "target" / "test-classes"
_LIBRARIES = REPOSITORY / "cli" / "target" / "dist" / "lib"
_NANOSECONDS_OF_MS = 1e6


@dataclass(frozen=True)
class Served:
    """When the server began and ended one call, in epoch milliseconds."""

    began: float
    ended: float


def intervals(calls: Sequence[Served], uncounted: int) -> list[float]:
    """Milliseconds from each call to the next one: what one more call takes in a loop.

    Args:
        calls: in their order.
        uncounted: how many of the first intervals are left out.
    """
    began = [call.began for call in calls]
    return [later - earlier for earlier, later in pairwise(began)][uncounted:]


class Upstream:
    """The program, while it is entered.

    Args:
        address: of this machine, at which it listens.
    """

    def __init__(self, address: str) -> None:
        self._java = _java()
        self._process = subprocess.Popen(
            [*self._java, f"{_PACKAGE}.MeasuredUpstream", address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C is for this process, which ends it.
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError("the tool server did not start; its messages are above")

    def times(self, series: str) -> list[Served]:
        """The calls of `timed` that named a series, in their order."""
        return [
            Served(began / _NANOSECONDS_OF_MS, ended / _NANOSECONDS_OF_MS)
            for began, ended in self._ask("times", series)
        ]

    def await_call(self, identifier: str) -> None:
        """Wait until a call of `hold` with an identifier has come; two minutes at most."""
        self._ask("await", identifier)

    def release(self, identifier: str) -> None:
        """End the calls of `hold` with an identifier."""
        self._ask("release", identifier)

    def call_by_sdk(self, series: str, calls: int) -> None:
        """Call `timed` with the SDK's client, in a process of its own, one call after another."""
        command = [*self._java, f"{_PACKAGE}.SdkCalls", self.url, series, str(calls)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)

    def _ask(self, command: str, subject: str) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{command} {subject}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the tool server has ended at '{command} {subject}'")
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def _java() -> list[str | Path]:
    """The command of a program of the module e2e, without its class."""
    missing = [folder for folder in (_CLASSES, _LIBRARIES) if not folder.is_dir()]
    if missing:
        raise SystemExit(
            f"dev/bench scripts: {missing[0]} does not exist: build it with"
            " ./mvnw -B -q -pl e2e -am package -DskipTests"
        )
    jdk = subprocess.run(
        [REPOSITORY / "dev" / "jdk"], check=True, capture_output=True, text=True
    ).stdout.strip()
    # 200 results of 1 MiB at once are there several times: as text, as JSON and as bytes.
    return [Path(jdk) / "bin" / "java", "-Xmx3g", "-cp", f"{_CLASSES}:{_LIBRARIES}/*"]
