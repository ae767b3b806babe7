"""Labels that fit their place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

MAX_TITLE_CHARACTERS = 60
MORE = "…"
_CHARACTERS_FLAT = 24
_CHARACTERS_TURNED = 16
# Pixels, of a letter of the size that ticks have.
_LETTER_WIDTH = 6.4
_LINE_HEIGHT = 12.0
_GAP = 6.0


class Fitted(NamedTuple):
    """The labels of an axis.

    Attributes:
        positions: those that have a label.
        labels: their labels.
        rotation: in degrees.
    """

    positions: list[int]
    labels: list[str]
    rotation: int


def shown(text: str, limit: int = MAX_TITLE_CHARACTERS) -> str:
    """Return a text on one line of at most `limit` characters."""
    return _on_one_line(text, limit, limit - 1)


def _short(label: str, limit: int) -> str:
    """Return a label with its end, in which similar labels differ."""
    return _on_one_line(label, limit, limit * 5 // 8)


def _on_one_line(text: str, limit: int, head: int) -> str:
    if len(text) > limit:
        text = text[:head] + MORE + text[len(text) - (limit - 1 - head) :]
    return "".join(letter if letter.isprintable() else " " for letter in text)


def along(labels: Sequence[str], width: float) -> Fitted:
    """Return labels that do not overlap along a horizontal axis.

    They are flat if all have room, else turned and shortened; of too many, every second or third
    and so on is left.

    Args:
        labels: one for each position.
        width: of the axis, in pixels.
    """
    room = width / max(1, len(labels))
    flat = [_short(label, _CHARACTERS_FLAT) for label in labels]
    if max(map(_width, flat), default=0) + _GAP <= room:
        return Fitted(list(range(len(labels))), flat, 0)
    # The distance of two lines at 45 degrees is less than that of their positions.
    turned = 45 if room * math.sin(math.radians(45)) >= _LINE_HEIGHT else 90
    step = max(1, math.ceil(_LINE_HEIGHT / room)) if turned == 90 else 1
    positions = list(range(0, len(labels), step))
    return Fitted(positions, [_short(labels[at], _CHARACTERS_TURNED) for at in positions], turned)


def beside(labels: Sequence[str], height: float) -> Fitted:
    """Return labels that do not overlap along a vertical axis of a height in pixels."""
    step = max(1, math.ceil(_LINE_HEIGHT * max(1, len(labels)) / height))
    positions = list(range(0, len(labels), step))
    return Fitted(positions, [_short(labels[at], _CHARACTERS_TURNED) for at in positions], 0)


def _width(label: str) -> float:
    # Letters of other scripts may be twice as wide.
    return sum(_LETTER_WIDTH if letter < "\u0250" else 2 * _LETTER_WIDTH for letter in label)
