"""CPU milliseconds of the guard for the longest code that it judges."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from assay_runner.guard import Policy, check
from assay_runner.parsable import (
    MAX_SOURCE_BYTES,
    MAX_TOKENS,
)

PARAMETERS: dict[str, Any] = json.loads("{}")


def module(file: str) -> str:
    """The text of a module of Python as often as it has room."""
    text = Path(file).read_text(encoding="utf-8").replace("from __future__", "from typing")
    times: int = MAX_SOURCE_BYTES // len(text.encode())
    return text * times


def milliseconds(source: str) -> float:
    began = time.process_time()
    check(source, Policy())
    return (time.process_time() - began) * 1000


sources = {
    "ordinary code": module(json.__file__),
    "calls": "f(a)\n" * (MAX_TOKENS // 5),
    "names": "a\n" * (MAX_TOKENS // 2),
    "violations": "eval\n" * (MAX_TOKENS // 2),
    "too many tokens": "a," * (MAX_SOURCE_BYTES // 2),
    "one text": "x = '" + "1," * (MAX_SOURCE_BYTES // 2 - 4) + "'",
}
rounds = range(PARAMETERS["rounds"])
print(json.dumps({name: [milliseconds(text) for _ in rounds] for name, text in sources.items()}))
