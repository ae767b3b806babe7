"""Files that code leaves: from its last instruction until they are stored and the run has ended.

The end is observed where the code's clock is, too: in local mode, or on the node itself.
"""

from __future__ import annotations

import statistics
import time

from bench.goals import Bench, Goal
from bench.goals.control_plane import growth, peak_memory

_MIB = 1024 * 1024
_LARGE_MIB = 64
_SMALL_FILES = 100
# Its scratch has room for the large file, on a cluster as in local mode.
_CLASS = "code"
_FOLDER = "import os, time; os.makedirs('artifacts', exist_ok=True)"
_END = "print(time.time())"
_NOTHING = f"{_FOLDER}\n{_END}"
_LARGE = f"""{_FOLDER}
with open('artifacts/large.bin', 'wb') as file:
    for _ in range({_LARGE_MIB}): file.write(os.urandom({_MIB}))
{_END}"""
_SMALL = f"""{_FOLDER}
for number in range({_SMALL_FILES}):
    with open(f'artifacts/{{number}}.bin', 'wb') as file: file.write(os.urandom(1024))
{_END}"""


def measure(bench: Bench) -> list[Goal]:
    """One uncounted round first."""
    nothing, large, small = [], [], []
    for _ in range(bench.rounds + 1):
        nothing.append(_ending(bench, _NOTHING, 0))
        large.append(_ending(bench, _LARGE, 1))
        small.append(_ending(bench, _SMALL, _SMALL_FILES))
    rate = statistics.median(_LARGE_MIB * _MIB / seconds / 1e6 for seconds in large[1:])
    added = statistics.median(
        (one - other) * 1000 for one, other in zip(small[1:], nothing[1:], strict=True)
    )
    base = statistics.median(nothing[1:])
    return [
        Goal(
            f"file of {_LARGE_MIB} MiB, end of the code to stored",
            ">=",
            100,
            rate,
            "MB/s",
            f"{statistics.median(large[1:]):.2f} s; a run without files {base:.2f} s",
        ),
        Goal(
            f"{_SMALL_FILES} files of 1 KiB, added to the end of a run",
            "<=",
            100,
            added,
            "ms",
            f"{statistics.median(small[1:]) * 1000:.0f} - {base * 1000:.0f} ms",
        ),
    ]


def measure_memory(bench: Bench, context: str) -> list[Goal]:
    """Memory of the control plane, on the dev/cluster of that name; one uncounted run first."""
    _ending(bench, _LARGE, 1)
    with peak_memory(bench, context) as memory:
        for _ in range(bench.rounds):
            _ending(bench, _LARGE, 1)
    return [growth(f"files of {_LARGE_MIB} MiB", memory, f"{bench.rounds} runs in turn")]


def _ending(bench: Bench, code: str, files: int) -> float:
    """Seconds from what the code prints at its end until its run has ended."""
    run = bench.run(code, runClass=_CLASS)
    ended = time.time()
    listed = bench.front_end.request("GET", f"/runs/{run['name']}/artifacts")["items"]
    if len(listed) != files:
        raise ValueError(f"run {run['name']} has {len(listed)} of {files} files")
    return ended - float(run["output"]["head"])
