"""Distinguishes frames, by code that can be sent into a run.

Two frames of one fingerprint have the same types, labels, values and kinds of missing value.
"""

import hashlib
from typing import Any


def fingerprint(frame: Any) -> str:  # noqa: ANN401 - inside of a run nothing is imported for it
    """Return the SHA-256 of a frame with all its properties."""
    digest = hashlib.sha256()

    def add(value: object) -> None:
        digest.update(f"{value!r}\0".encode("utf-8", "backslashreplace"))

    add((frame.shape, frame.attrs, type(frame.index).__name__, list(frame.index.names)))
    for labels in (frame.columns, frame.index):
        add([(type(label).__name__, label) for label in labels])
    add(str(getattr(frame.index, "dtype", "")))
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        add(str(column.dtype))
        if str(column.dtype) == "category":
            add((list(column.cat.categories), column.cat.ordered))
        add([(type(value).__name__, value) for value in column])
    return digest.hexdigest()
