"""The code of runs whose Pods are stand-ins: what is known of it is how long it lasts, and a call.

It is Python that does the same in a real Pod.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_SLEEP = re.compile(r"^time\.sleep\(([0-9.]+)\)$", re.MULTILINE)
_CALL = re.compile(r"^outcome = call_tool\(\*json\.loads\((.+)\)\)$", re.MULTILINE)


class Call(NamedTuple):
    """A call of a tool, with its arguments as JSON."""

    server: str
    tool: str
    args: str


def sleep_code(seconds: float) -> str:
    """A line of code that lasts so long, in a stand-in and in Python."""
    return f"time.sleep({seconds:.3f})"


def seconds_of(code: str) -> float:
    """How long code with such a line lasts; 0 without one."""
    found = _SLEEP.search(code)
    return float(found[1]) if found else 0.0


def call_code(server: str, tool: str, args: Mapping[str, object]) -> str:
    """Code that calls a tool, and prints `OK` or the error, with its code, in one line."""
    call = json.dumps([server, tool, args])
    return (
        "import json\n"
        f"outcome = call_tool(*json.loads({json.dumps(call)}))\n"
        "said = 'OK' if outcome['ok'] else '{code}: {message}'.format(**outcome['error'])\n"
        "print(' '.join(said.split()))\n"
    )


def printed(outcome: Mapping[str, Any]) -> str:
    """What that code prints."""
    said = "OK" if outcome["ok"] else "{code}: {message}".format(**outcome["error"])
    return " ".join(said.split())


def call_of(code: str) -> Call | None:
    """The call that code makes; None if it makes none."""
    found = _CALL.search(code)
    if found is None:
        return None
    server, tool, args = json.loads(json.loads(found[1]))
    return Call(server, tool, json.dumps(args))
