"""Truncates text to a maximum number of bytes."""

from __future__ import annotations

MAX_MESSAGE_BYTES = 4 * 1024
MAX_TRACEBACK_BYTES = 16 * 1024
MAX_TYPE_BYTES = 256
# A sentence about files that a run has left. Two of them fit into its status.
MAX_NOTE_BYTES = 480


def cut_middle(text: str, limit: int) -> str:
    """Return the text in at most `limit` bytes of UTF-8 (at least 64).

    The middle is left out, since the start and the end of a message or a traceback say most. Lone
    surrogates are escaped, so the result can always be encoded.
    """
    if len(text) > 2 * limit:
        # A character is at least one byte, so none of what is dropped here could be kept.
        omitted = len(text) - 2 * limit
        text = text[:limit] + text[-limit:]
    else:
        omitted = 0
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit and not omitted:
        return data.decode("utf-8")
    mark = f"\n... {len(data) - limit + omitted} or more bytes left out ...\n".encode()
    room = max(limit - len(mark), 0)
    head = data[: room - room // 2].decode("utf-8", "ignore")
    tail = data[len(data) - room // 2 :].decode("utf-8", "ignore")
    return head + mark.decode() + tail
