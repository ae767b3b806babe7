"""The event `result`."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from assay_runner.supervisor.ending import Ending
from assay_runner.supervisor.worker_progress import WorkerProgress

_NO_USAGE: Mapping[str, object] = {"cpuMs": 0, "peakMemoryBytes": 0}


def result_members(
    ending: Ending,
    worker: WorkerProgress,
    *,
    description: Mapping[str, object] | None,
    json_text: str | None,
    output: Mapping[str, object],
    ended_at: float,
    files: Mapping[str, object],
) -> dict[str, object]:
    """Return the members of the event.

    Args:
        ending: how the run ended.
        worker: what is known of the worker.
        description: of a snapshot.
        json_text: what code returned.
        output: the `output` member.
        ended_at: when the worker ended, on the monotonic clock.
        files: what is said about the files that code has left.
    """
    report = worker.exit
    usage = {"cpuMs": report.cpu_ms, "peakMemoryBytes": report.peak_memory_bytes} if report else {}
    began_at = ended_at if worker.started_at is None else worker.started_at
    return {
        "outcome": ending.outcome.value,
        "error": ending.error.members() if ending.error else None,
        "exit": {
            "code": report.code if report else None,
            "signal": report.signal if report else None,
        },
        "value": description,
        "valueJson": None
        if json_text is None
        else base64.b64encode(json_text.encode()).decode("ascii"),
        "output": output,
        "usage": usage or _NO_USAGE,
        "durationMs": round((ended_at - began_at) * 1000),
        **files,
    }
