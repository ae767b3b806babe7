"""Parses JSON value by value: exact numbers, places of errors, members that are given twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.typed.numbers import exact_number, exact_whole, number, whole

_WINDOW = 4 * 1024 * 1024
_MESSAGES = {
    "Expecting value": "a value is expected",
    "Expecting property name enclosed in double quotes": "a name in double quotes is expected",
    "Expecting ':' delimiter": "':' is expected",
    "Expecting ',' delimiter": "',' is expected",
    "Unterminated string starting at": "a text has no end",
    "Illegal trailing comma before end of object": "a comma has nothing behind it",
    "Illegal trailing comma before end of array": "a comma has nothing behind it",
}
_BETWEEN_OBJECTS = re.compile(r"\}\s*(,)\s*\{")
_skip = WHITESPACE.match


class JsonError(Exception):
    """Text is not JSON.

    Attributes:
        message: what is wrong, without any of the text.
        position: where, from 0.
        cut_off: whether it may be that the text has to go on.
        is_tab: whether it is a tab, or the like, within a text.
    """

    def __init__(
        self, message: str, position: int, *, cut_off: bool = False, is_tab: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.cut_off = cut_off
        self.is_tab = is_tab

    def located(self, text: str, lines_before: int = 0) -> ReaderError:
        """Return the error to report, with line and column from 1."""
        line = text.count("\n", 0, self.position) + 1 + lines_before
        column = self.position - text.rfind("\n", 0, self.position)
        return ReaderError(
            ValueError(),
            f"The source is not valid JSON: {self.message} (line {line}, column {column}).",
        )


Value = tuple[Any, int]
"""A value, and where the text goes on behind it."""


def parser(
    *,
    exact: bool,
    careful: bool,
    strict: bool = False,
    pairs: Callable[[Any], Any] | None = None,
) -> Any:  # noqa: ANN401
    """Return what parses one value: a function of text and a position.

    Args:
        exact: whether numbers are to be `Characters` if Python would write them otherwise.
        careful: whether there are numbers with very many digits.
        strict: whether a text must not have line feeds, tabs and the like; pandas accepts them.
        pairs: is called with the members of each object and returns the object.
    """
    if exact:
        of_float: Any = exact_number
        of_int: Any = exact_whole if careful else None
    else:
        of_float, of_int = (number, whole) if careful else (None, None)
    decoder = json.JSONDecoder(
        parse_float=of_float,
        parse_int=of_int,
        parse_constant=_refuse,
        strict=strict,
        object_pairs_hook=pairs,
    )
    return decoder.scan_once  # type: ignore[attr-defined]


def parse(text: str, start: int, scan: Any) -> Value:  # noqa: ANN401 - from `parser`
    """Return the value that begins at a position, which must not be white space.

    Raises:
        JsonError: if there is none.
    """
    with _errors(text):
        found: Value = scan(text, start)
    return found


def skip(text: str, start: int) -> int:
    """Return where white space from a position on ends."""
    end: int = _skip(text, start).end()
    return end


def sequence(text: str, start: int, scan: Any) -> Iterator[Value]:  # noqa: ANN401
    """Return values with white space between them."""
    position, length = skip(text, start), len(text)
    with _errors(text):
        while position < length:
            found = scan(text, position)
            yield found
            position = _skip(text, found[1]).end()


def items(text: str, start: int, scan: Any) -> Generator[Value, None, int]:  # noqa: ANN401
    """Yield the items of the list that begins at a position, and return where it ends.

    Where items are parsed together, all but the last have the position of the first as their end.
    """
    position = skip(text, start + 1)
    if text[position : position + 1] == "]":
        return position + 1
    together = True
    with _errors(text):
        while True:
            found = _items_together(text, position, scan) if together else None
            if found is not None:
                values, end = found
                yield from ((value, position) for value in values[:-1])
                yield values[-1], end
            else:
                together = False
                value, end = scan(text, position)
                yield value, end
            position = skip(text, end)
            mark = text[position : position + 1]
            if mark == "]":
                return position + 1
            if mark != ",":
                raise JsonError("',' is expected", position, cut_off=not mark)
            position = skip(text, position + 1)


def lines_together(text: str, scan: Any) -> list[Any] | None:  # noqa: ANN401
    """Return the objects of lines that each have one; None if there may be other lines."""
    body = text.strip(" \t\r\n")
    # Nothing else has a line feed between braces: with `strict`, texts have none.
    marks = body.count("}\n{")
    found = _list("[" + body.replace("}\n{", "},\n{") + "]", scan)
    return found if found is not None and len(found) == marks + 1 else None


def _items_together(text: str, start: int, scan: Any) -> tuple[list[Any], int] | None:  # noqa: ANN401
    """Return the next few thousand items of a list, and where the last of them ends.

    That is faster than one by one, since the parser then keeps the names of members.

    Returns:
        None if they could not be told from what is within them.
    """
    cut = _BETWEEN_OBJECTS.search(text, start + _WINDOW)
    if cut is None:
        return None
    # With a cut within an item, this is not JSON.
    found = _list(f"[{text[start : cut.start(1)]}]", scan)
    return None if not found else (found, cut.start(1))


def _list(text: str, scan: Any) -> list[Any] | None:  # noqa: ANN401
    """Return the list that is all of a text; None if it is not one."""
    try:
        found, end = scan(text, 0)
    except (StopIteration, ValueError, RecursionError, _NotFiniteError):
        return None
    return found if end == len(text) else None


def members(text: str, start: int, scan: Any) -> Iterator[tuple[str, int, Any]]:  # noqa: ANN401
    """Return name, position and value of each member of the object that begins at a position."""
    position = skip(text, start + 1)
    while text[position : position + 1] != "}":
        if text[position : position + 1] != '"':
            raise JsonError("a name in double quotes is expected", position)
        try:
            name, end = scanstring(text, position + 1, False)
        except json.JSONDecodeError as error:
            raise _malformed(text, error) from None
        position = skip(text, end)
        if text[position : position + 1] != ":":
            raise JsonError("':' is expected", position)
        position = skip(text, position + 1)
        value, end = parse(text, position, scan)
        yield name, position, value
        position = skip(text, end)
        mark = text[position : position + 1]
        if mark == ",":
            position = skip(text, position + 1)
        elif mark != "}":
            raise JsonError("',' is expected", position)


def only(text: str, end: int) -> None:
    """Check that a text ends with the value that ends at a position.

    Raises:
        JsonError: if it does not.
    """
    rest = skip(text, end)
    if rest < len(text):
        raise JsonError("there is more behind the value", rest)


@contextmanager
def _errors(text: str) -> Iterator[None]:
    """Have the errors of the parser as `JsonError`."""
    try:
        yield
    except StopIteration as stop:
        raise _unexpected(text, stop.value) from None
    except json.JSONDecodeError as error:
        raise _malformed(text, error) from None
    except _NotFiniteError:
        message = "NaN and infinities are not JSON; write null"
        raise JsonError(message, _constant(text)) from None
    except RecursionError:
        raise JsonError("lists and objects are nested too deeply", 0) from None


class _NotFiniteError(Exception):
    """A constant that JSON does not have."""


def _refuse(_: str) -> NoReturn:
    raise _NotFiniteError


def _constant(text: str) -> int:
    """Return where the first such constant is, which is not within a text."""
    pattern = re.compile(r'"(?:[^"\\]|\\.)*+"|(-?Infinity|NaN)', re.DOTALL)
    return next((m.start() for m in pattern.finditer(text) if m[1]), 0)


def _unexpected(text: str, position: int) -> JsonError:
    rest = skip(text, position) >= len(text)
    return JsonError("a value is expected", position, cut_off=rest)


def _malformed(text: str, error: json.JSONDecodeError) -> JsonError:
    if error.msg.startswith("Invalid control character"):
        if text[error.pos] not in "\r\n":
            return JsonError("a text has a control character", error.pos, is_tab=True)
        return JsonError("a text has no end in its line", error.pos)
    message = _MESSAGES.get(error.msg, "an escape or a character within a text is not valid")
    cut_off = error.msg.startswith("Unterminated") or skip(text, error.pos) >= len(text)
    return JsonError(message, error.pos, cut_off=cut_off)
