"""Refuses code by the guard, before its first instruction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from assay_runner import guard
from assay_runner.frames import Message
from assay_runner.text import MAX_MESSAGE_BYTES, cut_middle
from assay_runner.worker.query.cells import dumps, encodable

REFUSED = "GuardRefused"
_MAX_VIOLATIONS = 100


class Refusal(NamedTuple):
    """Why code is refused.

    Attributes:
        error: the member `error` of a result.
        value: all violations, at most 100, as JSON.
    """

    error: Message
    value: str


def refusal(code: str, allowed_modules: Iterable[str]) -> Refusal | None:
    """Return why the guard refuses code; None if it may run.

    Args:
        code: the text of the script.
        allowed_modules: modules that it may import besides those that all code may.
    """
    violations = guard.check(code, guard.Policy().extended(allowed_modules))
    if not violations:
        return None
    listed = violations[:_MAX_VIOLATIONS]
    text = guard.message(listed)
    if len(violations) > len(listed):
        text += f"\nand {len(violations) - len(listed)} more"
    error = {
        "type": REFUSED,
        "message": cut_middle(text, MAX_MESSAGE_BYTES),
        "line": violations[0].line,
        "traceback": None,
    }
    value = {
        "violations": [violation._asdict() for violation in listed],
        "total": len(violations),
        "alternatives": guard.alternatives(violations),
    }
    return Refusal(error, encodable(dumps(value)))
