"""CPU time of short-lived containers, read again and again while they live."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import cpu
from bench.periodic import Periodic

_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Sample:
    """CPU seconds of a container when it was last seen, and those of its first process alone."""

    total: float
    first_process: float


class ContainerSampler(Periodic):
    """Samples all containers that `list_containers` yields.

    What a container uses after its last sample is missing.
    """

    def __init__(self, list_containers: Callable[[], Iterable[tuple[str, Path]]]) -> None:
        super().__init__(_PAUSE_SECONDS)
        self._list_containers = list_containers
        self._samples: dict[str, Sample] = {}

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

    def read(self) -> bool:
        """Read each container once."""
        self.sample()
        return True
