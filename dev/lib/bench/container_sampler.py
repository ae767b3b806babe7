"""CPU time of short-lived containers, read again and again while they live."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from bench import cpu

_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Sample:
    """CPU seconds of a container when it was last seen, and those of its first process alone."""

    total: float
    first_process: float


class ContainerSampler:
    """Samples all containers that `list_containers` yields, in a thread of its own.

    What a container uses after its last sample is missing.
    """

    def __init__(self, list_containers: Callable[[], Iterable[tuple[str, Path]]]) -> None:
        self._list_containers = list_containers
        self._samples: dict[str, Sample] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def samples(self) -> Mapping[str, Sample]:
        """The last sample of each container, by its ID."""
        return self._samples

    def sample(self) -> None:
        """Read each container once."""
        for container, group in self._list_containers():
            try:
                total = cpu.group_seconds(group)
                processes = cpu.group_processes(group)
                first = cpu.own_seconds(cpu.process_stat(processes[0])) if processes else None
            except cpu.GoneError:
                continue
            before = self._samples.get(container, Sample(0.0, 0.0))
            # The last reading of a first process that is gone stays.
            self._samples[container] = Sample(
                total, before.first_process if first is None else max(first, before.first_process)
            )

    def _run(self) -> None:
        while not self._stop.wait(_PAUSE_SECONDS):
            self.sample()
