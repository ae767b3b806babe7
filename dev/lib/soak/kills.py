"""Kills processes and Pods at random."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from e2e.commands import kubectl
from e2e.errors import E2eError
from soak.judge import Kill
from soak.repeated import Repeated

COMPONENTS = ("operator", "mcp-frontend", "tool-gateway")
_RUN_PODS = "assay.dev/run-uid"


def pids(component: str) -> list[int]:
    """The processes of a component of Assay on this machine."""
    jar = f"/app/{component}/app.jar"
    return [pid for pid, command in _commands() if command.endswith(jar)]


def pids_of_pod(uid: str) -> list[int]:
    """The processes of a Pod."""
    return pids_in_cgroup(f"/pod{uid}/")


def pids_in_cgroup(part: str) -> list[int]:
    """The processes with this in the path of a cgroup, the first first."""
    return sorted(pid for pid, _ in _commands() if part in _read(pid, "cgroup"))


def _commands() -> list[tuple[int, str]]:
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [(pid, _read(pid, "cmdline").replace("\0", " ").strip()) for pid in numbers]


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:
        return ""


class Killer:
    """Kills something every so often, from `start` to `stop`.

    Attributes:
        kills: what was killed.
    """

    def __init__(self, seed: int, every: float) -> None:
        self.kills: list[Kill] = []
        self._choice = random.Random(f"{seed} killer")
        self._ways: list[Callable[[], None]] = [partial(self._component, one) for one in COMPONENTS]
        self._ways += [self._pod, self._process]
        self._lock = threading.Lock()
        self._repeated = Repeated(self._kill, lambda: self._choice.uniform(0.5, 1.5) * every)
        self._since = 0.0

    def start(self) -> None:
        """Begin."""
        self._since = time.monotonic()
        self._repeated.start()

    def stop(self) -> None:
        """Kill nothing more."""
        self._repeated.stop()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Kill nothing meanwhile."""
        with self._lock:
            yield

    def _kill(self) -> None:
        # What was there may be gone.
        with self._lock, contextlib.suppress(ProcessLookupError, E2eError):
            self._choice.choice(self._ways)()

    def _component(self, name: str) -> None:
        if found := pids(name):
            os.kill(self._choice.choice(found), signal.SIGKILL)
            self._note(name, "")

    def _pod(self) -> None:
        if pod := self._run_pod():
            name, namespace, _ = pod
            # Before, so that a run that ends of it is explained.
            self._note("run", name)
            kubectl("-n", namespace, "delete", "pod", name, "--grace-period=0", "--force")

    def _process(self) -> None:
        if pod := self._run_pod():
            name, _, uid = pod
            if found := pids_of_pod(uid):
                self._note("run", name)
                os.kill(self._choice.choice(found), signal.SIGKILL)

    def _run_pod(self) -> tuple[str, str, str] | None:
        listed = json.loads(kubectl("get", "pods", "-A", "-l", _RUN_PODS, "-o", "json"))
        pods = [item["metadata"] for item in listed["items"]]
        if not pods:
            return None
        pod = self._choice.choice(pods)
        return pod["name"], pod["namespace"], pod["uid"]

    def _note(self, what: str, pod: str) -> None:
        self.kills.append(Kill(what, pod, time.monotonic() - self._since))
