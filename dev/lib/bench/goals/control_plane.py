"""Memory of the operator and the front end while something is measured, on a dev/cluster."""

from __future__ import annotations

from bench.goals import Bench, Goal
from bench.memory import PeakMemory, pod_groups
from bench.node import lasting_pods
from cluster.settings import Paths

_MIB = 1024 * 1024
# Of what they have anyway.
_FLAT_MIB = 64


def peak_memory(bench: Bench, context: str) -> PeakMemory:
    """What observes it while it is entered; `context` names the cluster."""
    uids = [uid for uids in lasting_pods(bench.kubernetes).values() for uid in uids]
    return PeakMemory([group for uid in uids for group in pod_groups(Paths(context).cgroup, uid)])


def growth(what: str, memory: PeakMemory, conditions: str) -> Goal:
    """The line of what they grew by."""
    return Goal(
        f"{what}: growth of operator and front end",
        "<=",
        _FLAT_MIB,
        (memory.peak - memory.first) / _MIB,
        "MiB",
        f"{conditions}; {memory.first / _MIB:.0f} MiB before",
    )
