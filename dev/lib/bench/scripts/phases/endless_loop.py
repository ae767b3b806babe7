"""`for(;;){}` with a time limit: how much later it ends, and what it still computes then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from bench import cpu
from bench.report.result import Result
from bench.scripts.phases import ASSAY, PEER, Setting
from bench.scripts.script_client import Reply, Script
from cluster.settings import Paths

_LIMIT_MS = 500
_SCRIPT = Script("for(;;){}", options={"timeout_ms": _LIMIT_MS})
_TIMEOUT = "TIMEOUT"
_IDLE = 2
# After the answer, CPU time is read from then on, for as long.
_AFTER_SECONDS = 1.0
_PAUSE_SECONDS = 0.05


def measure(setting: Setting) -> Iterator[Result]:
    """The peer is started anew each time, since each loop keeps a core of it busy."""
    setting.script_class.pool.resize(_IDLE)
    samples: dict[str, list[float]] = {}
    cores: dict[str, float] = {ASSAY: 0.0}
    for _ in range(setting.rounds):
        reply = _ended_by_limit(setting.assay.run(_SCRIPT))
        status = setting.run(reply.run)["status"]
        uid = status["pod"]["uid"]
        used = busy_cores(partial(_pod_seconds, setting, uid))
        cores[ASSAY] = max(cores[ASSAY], used)
        started, finished = (
            datetime.fromisoformat(status["timings"][step]).timestamp()
            for step in ("started", "finished")
        )
        for name, end in (("end decided", finished), ("answer", reply.answered)):
            late = (end - started) * 1000 - _LIMIT_MS
            samples.setdefault(f"{ASSAY}: limit to {name}", []).append(late)
        setting.refill(reply)
    for _ in range(setting.rounds):
        with setting.serving_peer() as peer:
            if peer is not None:
                reply = _ended_by_limit(peer.client().run(_SCRIPT))
                late = reply.milliseconds - _LIMIT_MS
                samples.setdefault(f"{PEER}: limit to answer", []).append(late)
                cores[PEER] = max(cores.get(PEER, 0.0), busy_cores(peer.cpu_seconds))
    figures = {
        f"{name}: cores in use {_AFTER_SECONDS:g} s after the answer": used
        for name, used in cores.items()
    }
    yield Result("endless-loop", samples, figures, {}, setting.conditions, setting.absent)


def busy_cores(
    seconds: Callable[[], float],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> float:
    """How many cores are in use, a time after now and for as long; 0 if nothing is left then.

    Args:
        seconds: CPU time so far; raises GoneError once there is nothing any more.
        clock: the time.
        sleep: waits.
    """
    sleep(_AFTER_SECONDS)
    began = clock()
    try:
        first = last = seconds()
    except cpu.GoneError:
        return 0.0
    while clock() < began + _AFTER_SECONDS:
        sleep(_PAUSE_SECONDS)
        try:
            last = seconds()
        except cpu.GoneError:
            break
    return (last - first) / (clock() - began)


def _pod_seconds(setting: Setting, uid: str) -> float:
    groups = cpu.pod_groups(Paths(setting.context).cgroup, uid)
    if not groups:
        raise cpu.GoneError(uid)
    return sum(map(cpu.group_seconds, groups))


def _ended_by_limit(reply: Reply) -> Reply:
    if reply.error != _TIMEOUT:
        raise ValueError(f"an endless script ended with {reply.error or 'a value'}")
    return reply
