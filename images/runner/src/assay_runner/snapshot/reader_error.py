"""The error of a source that cannot be read."""

from __future__ import annotations


class ReaderError(Exception):
    """A source cannot be read; the message quotes nothing of it.

    Attributes:
        type: name of the exception that the library raised.
    """

    def __init__(self, error: Exception, message: str) -> None:
        super().__init__(message)
        self.type = type(error).__name__
