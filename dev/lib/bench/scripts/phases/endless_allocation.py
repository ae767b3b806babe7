"""A script that fills memory beside ten others, which wait for a tool until it has ended.

All memory that the Pods of the eleven may have together is what the peer may have.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bench.memory_limit import MemoryLimit
from bench.quantities import quantity
from bench.report.result import Result
from bench.scripts.phases import ASSAY, PEER, Setting
from bench.scripts.script_class import NAME
from bench.scripts.script_client import Reply, Script
from bench.scripts.sources import source
from bench.warm_pool import CLASSES

_GOOD = 10
_COUNT = 1_000_000
_SUM = _COUNT * (_COUNT + 1) // 2
_OPTIONS = {"timeout_ms": 120_000}
_BAD = Script(source("allocation"), options=_OPTIONS)
_MEMORY_EXCEEDED = "MEMORY_EXCEEDED"


@dataclass(frozen=True)
class Ends:
    """What became of one script that fills memory, and of those beside it."""

    bad: Reply
    good: Sequence[Reply]

    @property
    def unharmed(self) -> int:
        """How many of the others have their value."""
        return sum(reply.value == _SUM for reply in self.good)


def measure(setting: Setting) -> Iterator[Result]:
    """Once each: the peer does not survive it."""
    setting.script_class.allow(_GOOD + 1)
    setting.script_class.pool.resize(_GOOD + 1, lowers_requests=True)
    own = _ends(setting, setting.assay.run_apart)
    memory = quantity(setting.kubernetes.get(f"{CLASSES}/{NAME}")["spec"]["resources"]["memory"])
    all_memory = int(memory) * (_GOOD + 1)
    samples = {f"{ASSAY}: script that fills memory, until its answer": [own.bad.milliseconds]}
    figures = {
        f"{ASSAY}: others that have their value": float(own.unharmed),
        f"{ASSAY}: ended for its memory": float(own.bad.error == _MEMORY_EXCEEDED),
    }
    conditions = {"bytes of memory of all Pods": str(all_memory), **setting.conditions}
    if setting.peer is not None:
        with MemoryLimit(all_memory) as limit, setting.serving_peer(limit) as peer:
            assert peer is not None
            others = _ends(setting, peer.client().run_apart)
            samples[f"{PEER}: script that fills memory, until its answer"] = [
                others.bad.milliseconds
            ]
            figures |= {
                f"{PEER}: others that have their value": float(others.unharmed),
                f"{PEER}: the process has ended": float(peer.has_ended),
                f"{PEER}: ended by the kernel for memory": float(limit.kills()),
            }
            conditions[f"{PEER}: what the script that fills memory got"] = others.bad.error
    yield Result("endless-allocation", samples, figures, {}, conditions, setting.absent)


def _ends(setting: Setting, run: Callable[[Script], Reply]) -> Ends:
    """Have the others wait for a tool, run the one, and then end that wait."""
    prefix = uuid.uuid4().hex[:8]
    names = [f"{prefix}-{number}" for number in range(_GOOD)]
    scripts = [Script(source("held"), {"id": name, "count": _COUNT}, _OPTIONS) for name in names]
    with ThreadPoolExecutor(_GOOD) as threads:
        good = [threads.submit(run, script) for script in scripts]
        try:
            for name in names:
                setting.upstream.await_call(name)
            bad = run(_BAD)
        finally:
            for name in names:
                setting.upstream.release(name)
        return Ends(bad, [one.result() for one in good])
