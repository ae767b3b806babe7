"""The runs that callers make: what each is, and how it may end."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from soak.counter import COUNTER

DATASET = "soak_numbers"
ROWS = 1000
TABLE = "n,square\n" + "".join(f"{n},{n * n}\n" for n in range(ROWS))

Ending = tuple[str, str]
SUCCEEDED: Ending = ("Succeeded", "Completed")
CODE_ERROR: Ending = ("Failed", "CodeError")
MEMORY: Ending = ("Failed", "MemoryExceeded")
LOST: Ending = ("Failed", "RunnerLost")
TIMED_OUT: Ending = ("TimedOut", "DeadlineExceeded")
CANCELLED: Ending = ("Cancelled", "Cancelled")


@dataclass(frozen=True)
class Job:
    """A run to make.

    Attributes:
        kind: the name of its kind.
        body: of POST /runs.
        endings: the phases and reasons that it may end with, if nothing of it is killed.
        output: what it prints if it succeeds, or the rows of a query; None for anything.
        token: what it counts at the tool server, once; empty if it calls no tool.
        cancel_after: after how many seconds its caller cancels it.
    """

    kind: str
    body: Mapping[str, object]
    endings: frozenset[Ending] = frozenset({SUCCEEDED})
    output: str | None = None
    token: str = ""
    cancel_after: float | None = None


def _python(choice: random.Random) -> Job:
    first = choice.randrange(ROWS)
    code = f"print(df.square[{first}:].sum())"
    expected = sum(n * n for n in range(first, ROWS))
    return Job("python", {"code": code, "dataset": DATASET}, output=f"{expected}\n")


def _long_output(choice: random.Random) -> Job:
    lines = choice.randint(1_000, 20_000)
    code = f"for i in range({lines}): print(i)"
    return Job("long output", {"code": code}, output="".join(f"{i}\n" for i in range(lines)))


def _sleeping(choice: random.Random) -> Job:
    seconds, number = choice.uniform(1, 8), choice.randrange(10**9)
    code = f"import time\ntime.sleep({seconds:.2f})\nprint({number})"
    return Job("sleeping", {"code": code}, output=f"{number}\n")


def _sql(choice: random.Random) -> Job:
    first = choice.randrange(ROWS)
    code = f"SELECT sum(square)::BIGINT AS s FROM {DATASET} WHERE n >= {first}"
    expected = sum(n * n for n in range(first, ROWS))
    body = {"code": code, "dataset": DATASET, "language": "sql", "replyRows": 1}
    return Job("sql", body, output=f"[[{expected}]]")


def _tool_call(choice: random.Random) -> Job:
    token = f"t{choice.randrange(10**15)}"
    code = (
        f"const r = call_tool('{COUNTER}', 'count', {{token: '{token}'}});"
        " if (!r.ok) throw new Error(JSON.stringify(r.error)); return 1"
    )
    return Job("tool call", {"code": code, "language": "javascript"}, token=token)


def _code_mode(choice: random.Random) -> Job:
    number = choice.randrange(10**6)
    code = (
        "from pathlib import Path\nPath('artifacts').mkdir(exist_ok=True)\n"
        f"Path('artifacts/n.txt').write_text('{number}')\nprint({number})"
    )
    return Job("code mode", {"code": code, "mode": "code"}, output=f"{number}\n")


def _cancelled(choice: random.Random) -> Job:
    body = {"code": "import time\nprint('began')\ntime.sleep(60)"}
    return Job(
        "cancelled",
        body,
        frozenset({CANCELLED}),
        cancel_after=choice.uniform(0, 5),
    )


def _endless(choice: random.Random) -> Job:
    body = {"code": "while True: pass", "timeoutSeconds": choice.randint(1, 4)}
    return Job("endless", body, frozenset({TIMED_OUT}))


def _error(choice: random.Random) -> Job:
    return Job("error", {"code": "1 / 0"}, frozenset({CODE_ERROR}))


def _memory(choice: random.Random) -> Job:
    body = {"code": "x = []\nwhile True: x.append(bytearray(10_000_000))", "timeoutSeconds": 20}
    return Job("memory", body, frozenset({MEMORY, CODE_ERROR}))


def _printing(choice: random.Random) -> Job:
    body = {"code": "for _ in range(50): print('x' * 1_000_000)", "timeoutSeconds": 20}
    return Job("printing", body, frozenset({SUCCEEDED, TIMED_OUT}))


def _killing(choice: random.Random) -> Job:
    body = {"code": "import os\nos.kill(os.getpid(), 9)", "timeoutSeconds": 20}
    return Job("killing itself", body, frozenset({CODE_ERROR, LOST, MEMORY}))


def _forking(choice: random.Random) -> Job:
    body = {
        "code": "import os, signal\nfor _ in range(10_000):\n    if os.fork() == 0: signal.pause()",
        "timeoutSeconds": 5,
    }
    endings = frozenset({CODE_ERROR, TIMED_OUT, MEMORY, LOST, SUCCEEDED})
    return Job("forking", body, endings)


KINDS: Mapping[Callable[[random.Random], Job], int] = {
    _python: 6,
    _sql: 5,
    _tool_call: 4,
    _sleeping: 3,
    _long_output: 2,
    _code_mode: 2,
    _cancelled: 2,
    _endless: 1,
    _error: 1,
    _memory: 1,
    _printing: 1,
    _killing: 1,
    _forking: 1,
}
"""Each kind with how often it is made, among all."""


def job(choice: random.Random) -> Job:
    """A run of a random kind."""
    (kind,) = choice.choices(list(KINDS), weights=list(KINDS.values()))
    return kind(choice)
