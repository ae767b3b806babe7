"""What a runner refuses in the same way, whatever was requested."""

from __future__ import annotations

import pytest

from runner_client import Reply

sent_elsewhere = pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"podUid": "pod-9"}, "WrongPod"),
        ({"namespace": "elsewhere"}, "WrongPod"),
        ({"nonce": "n" * 43}, "WrongNonce"),
        ({"notAfter": 1}, "Expired"),
    ],
)
"""Changes of a request's head that send it to another Pod, process or time, with their codes."""


def refusal(reply: Reply) -> tuple[int, str]:
    """The status and the code of an answer that is a refusal."""
    return reply.status, reply.code
