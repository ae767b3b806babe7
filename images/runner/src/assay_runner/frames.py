"""Length-prefixed JSON messages between supervisor, launcher and worker.

A frame is a four-byte big-endian length and that many bytes of UTF-8 JSON, which is one object. The
reader does not trust the sender: it checks the length before it buffers the body.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any

Message = dict[str, Any]

# Capacity of the output pipe, which the launcher creates and the supervisor reads.
PIPE_BYTES = 1024 * 1024

# How many descriptors come with one message between launcher and supervisor.
MAX_DESCRIPTORS = 16

# A job whose texts, of 512 KiB together, have every character escaped.
MAX_JOB_FRAME_BYTES = 4 * 1024 * 1024

_LENGTH = struct.Struct(">I")


class FrameError(ValueError):
    """The peer sent data that is not a valid frame, or a frame over the limit."""


def encode(message: Mapping[str, object]) -> bytes:
    """Return the frame of one message.

    Raises:
        ValueError: if the message contains a number that JSON cannot represent.
    """
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Lone surrogates cannot be encoded; they are escaped instead of failing the message.
    body = text.encode("utf-8", "backslashreplace")
    return _LENGTH.pack(len(body)) + body


class FrameReader:
    """Splits a byte stream into messages.

    Args:
        limit: maximum size of a frame body in bytes.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """Add received bytes and yield the messages that they complete.

        Messages before an invalid frame are yielded before the error is raised: user code must not
        be able to invalidate what its worker has already sent.

        Raises:
            FrameError: if a frame is over the limit, is not JSON, or is not an object.
        """
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > self._limit:
                raise FrameError(f"a frame of {length} bytes is over the limit of {self._limit}")
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                break
            body = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield _decode(body)


def _decode(body: bytes) -> Message:
    try:
        message = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a frame is not JSON: {type(error).__name__}") from None
    if not isinstance(message, dict):
        raise FrameError("a frame is not a JSON object")
    return message


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
