"""What Assay's processes and its store take, while the soak goes on and after it."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cluster.settings import REPOSITORY
from e2e import settings
from e2e.commands import kubectl
from soak import kills
from soak.repeated import Repeated

_EVERY_SECONDS = 5.0
_USED = re.compile(r"^(?:DefNew|Tenured|.*garbage-first heap) +total \d+K, used (\d+)K", re.M)


@dataclass(frozen=True)
class Sample:
    """What the processes of a component have, the most of any of them."""

    seconds: float
    component: str
    resident_mib: float
    descriptors: int
    threads: int
    store_files: int


_COLUMNS = list(Sample.__dataclass_fields__)


def live_heap_kib(component: str) -> int:
    """The heap in use after a full collection, the most of the component's processes.

    Raises:
        OSError: if none of them is there.
    """
    used = [_live_heap_kib(pid) for pid in kills.pids(component)]
    if not used:
        raise OSError(f"no process of {component}")
    return max(used)


def _live_heap_kib(pid: int) -> int:
    jcmd = Path(_java_home()) / "bin" / "jcmd"
    _run([jcmd, str(pid), "GC.run"])
    return used_kib(_run([jcmd, str(pid), "GC.heap_info"]))


def used_kib(heap_info: str) -> int:
    """The heap in use, from what `jcmd PID GC.heap_info` prints.

    Raises:
        OSError: if it names none.
    """
    if not (found := _USED.findall(heap_info)):
        raise OSError(f"no heap in: {heap_info.strip()[:200]}")
    return sum(int(used) for used in found)


def _java_home() -> str:
    return _run([REPOSITORY / "dev" / "jdk"]).strip()


def _run(command: list[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise OSError(done.stderr.strip()[-200:])
    return done.stdout


def descriptors(component: str) -> int:
    """Open files and connections, the most of the component's processes."""
    return max((_descriptors(pid) for pid in kills.pids(component)), default=0)


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def store() -> Path:
    """The directory of the output store on this machine."""
    claim = json.loads(
        kubectl("-n", settings.SYSTEM_NAMESPACE, "get", "pvc/assay-operator-output", "-o", "json")
    )
    volume = json.loads(kubectl("get", f"pv/{claim['spec']['volumeName']}", "-o", "json"))
    return Path(volume["spec"]["local"]["path"])


def stored_files(store: Path) -> int:
    """How many files of runs there are; definitions of tools stay with their server."""
    return sum(
        len(files) for path, _, files in os.walk(store) if not path.endswith("/.definitions")
    )


class Sampler:
    """Takes samples from `start` to `stop`.

    Args:
        store: the directory of the output store.
        target: the CSV file that they go to.
    """

    def __init__(self, store: Path, target: Path) -> None:
        self._store = store
        self._target = target
        self._began = 0.0
        self._repeated = Repeated(self._take, lambda: _EVERY_SECONDS)
        self.samples: list[Sample] = []

    def start(self) -> None:
        """Begin."""
        self._began = time.monotonic()
        with self._target.open("w", newline="") as file:
            csv.DictWriter(file, _COLUMNS).writeheader()
        self._repeated.start()

    def stop(self) -> None:
        """Take no more."""
        self._repeated.stop()

    def _take(self) -> None:
        seconds, files = time.monotonic() - self._began, stored_files(self._store)
        taken = [_sample(component, seconds, files) for component in kills.COMPONENTS]
        self.samples += taken
        with self._target.open("a", newline="") as file:
            csv.DictWriter(file, _COLUMNS).writerows(map(asdict, taken))


def table(samples: Sequence[Sample], columns: int = 12) -> list[str]:
    """The samples over time, a line for each component and measure."""
    lines = []
    for component in kills.COMPONENTS:
        of = [sample for sample in samples if sample.component == component]
        shown = of[:: max(1, -(-len(of) // columns))]
        if component == kills.COMPONENTS[0]:
            lines.append(_line("minutes", [sample.seconds / 60 for sample in shown]))
            lines.append(_line("files in the store", [sample.store_files for sample in shown]))
        lines.append(_line(f"{component} MiB", [sample.resident_mib for sample in shown]))
        lines.append(_line(f"{component} descriptors", [sample.descriptors for sample in shown]))
        lines.append(_line(f"{component} threads", [sample.threads for sample in shown]))
    return lines


def _line(name: str, values: Sequence[float]) -> str:
    return f"{name:26}" + "".join(f"{value:6.0f}" for value in values)


def _sample(component: str, seconds: float, files: int) -> Sample:
    found = [status for pid in kills.pids(component) if (status := _status(pid))]
    return Sample(
        round(seconds, 1),
        component,
        round(max((int(s["VmRSS"].split()[0]) / 1024 for s in found), default=0), 1),
        descriptors(component),
        max((int(s["Threads"]) for s in found), default=0),
        files,
    )


def _status(pid: int) -> Mapping[str, str]:
    """The lines of /proc/PID/status; none if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    return found if "VmRSS" in found else {}
