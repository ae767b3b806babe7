"""Finds the rows in a JSON document: in a list, around a list, as columns, or as `orient` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assay_runner.options import Options
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.encoding import encoding_of
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot.reading.records.batches import LineRecords, Records, TextRecords, Values
from assay_runner.snapshot.reading.records.json_text import (
    JsonError,
    Value,
    items,
    members,
    only,
    parse,
    parser,
    sequence,
    skip,
)
from assay_runner.snapshot.reading.records.marks import has_long_numbers
from assay_runner.snapshot.reading.records.orients import WholeRecords, dates_of_table, is_by_label

_ORIENTS_OF_LISTS = (None, "records", "columns", "values")
_NAME_CHARACTERS = 64


class Opened(NamedTuple):
    """Records that were found, what to say about how, and columns that are dates."""

    records: Records
    notes: tuple[Note, ...] = ()
    dates: Sequence[str] = ()


class _Lists(NamedTuple):
    """Lists within an object, as the names that lead to each and its position."""

    of_objects: list[tuple[str, int]]
    empty: list[tuple[str, int]]


def open_records(path: str, source_format: str, options: Options) -> Opened:
    """Return the records of a source.

    Raises:
        ReaderError: if it is not JSON, or has no rows that could be found.
        UnicodeDecodeError: if it is not in its encoding.
    """
    encoding = encoding_of(path, options.get("encoding"))
    orient = options.get("orient")
    if source_format == "ndjson" or options.get("lines") is True:
        if orient not in _ORIENTS_OF_LISTS:
            raise _unreadable(f"JSON lines cannot have the orient {orient}.")
        return Opened(LineRecords(path, encoding))
    with open(path, encoding=encoding, newline="") as file:
        text = file.read().removeprefix("\ufeff")
    try:
        return _opened(text, orient)
    except JsonError as error:
        raise error.located(text) from None


def _opened(text: str, orient: str | None) -> Opened:
    start = skip(text, 0)
    mark = text[start : start + 1]
    if not mark:
        raise _unreadable("The source is empty.")
    if mark == "[":
        if orient not in _ORIENTS_OF_LISTS:
            raise _unreadable(f"The source is a list, which the orient {orient} does not have.")
        return Opened(TextRecords(text, _list_at(text, start, is_all=True), start))
    value, end = parse(text, start, parser(exact=False, careful=has_long_numbers(text)))
    if mark != "{":
        only(text, end)
        raise _unreadable("The source is a single value, and not a table.")
    if skip(text, end) < len(text):
        return Opened(TextRecords(text, lambda scan: sequence(text, start, scan), start))
    if orient in ("split", "index", "table"):
        dates = dates_of_table(value) if orient == "table" else ()
        return Opened(WholeRecords(text, orient), dates=dates)
    return _object(text, start, value, orient)


def _object(text: str, start: int, value: Mapping[str, Any], orient: str | None) -> Opened:
    """Return the records of one object that does not say how it has them."""
    inner = list(value.values())
    is_lists = bool(inner) and all(isinstance(each, list) for each in inner)
    if orient == "columns" and (is_lists or all(isinstance(each, dict) for each in inner)):
        return Opened(WholeRecords(text, "columns"))
    chosen = _chosen_list(text, start, value) if orient != "columns" else None
    if chosen is not None:
        name, position = chosen
        note = Note(Code.RECORDS_FROM, f"was read from the list {_short(name)} of the source")
        return Opened(TextRecords(text, _list_at(text, position), position), (note,))
    if is_lists or is_by_label(value):
        return Opened(WholeRecords(text, "columns"))
    return Opened(TextRecords(text, lambda scan: sequence(text, start, scan), start))


def _chosen_list(text: str, start: int, value: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return name and position of the list that has the records; None if there is none."""
    if value.get("type") == "FeatureCollection" and isinstance(value.get("features"), list):
        return _named(_lists(text, start, value, ""), "features")
    if is_by_label(value) and not _lists_at_top(value):
        return None
    lists = _lists(text, start, value, "")
    if not lists.of_objects and not _lists_at_top(value):
        lists = _lists_below(text, start, value)
    if len(lists.of_objects) > 1:
        raise _unreadable(
            f"The source has {len(lists.of_objects)} lists of objects. Keep one of them, or give"
            " the option orient as columns, to have each as a column."
        )
    if lists.of_objects:
        return lists.of_objects[0]
    is_around = len(value) > 1 and len(lists.empty) == 1 == len(_lists_at_top(value))
    return lists.empty[0] if is_around else None


def _lists_at_top(value: Mapping[str, Any]) -> list[list[Any]]:
    return [each for each in value.values() if isinstance(each, list)]


def _lists(text: str, start: int, value: Mapping[str, Any], path: str) -> _Lists:
    """Return the lists among the members of an object that begins at a position."""
    found = _Lists([], [])
    if not _lists_at_top(value):
        return found
    positions = _positions(text, start)
    for name, each in value.items():
        if isinstance(each, list) and all(isinstance(item, dict) for item in each):
            (found.of_objects if each else found.empty).append((path + name, positions[name]))
    return found


def _lists_below(text: str, start: int, value: Mapping[str, Any]) -> _Lists:
    """Return the lists of objects within the objects of an object, and those within these."""
    found = _Lists([], [])
    pending = [(value, start, "")]
    while pending:
        current, position, path = pending.pop()
        found.of_objects.extend(_lists(text, position, current, path).of_objects)
        below = {name: each for name, each in current.items() if isinstance(each, dict)}
        if below and (len(path) < _NAME_CHARACTERS):
            positions = _positions(text, position)
            pending += [(each, positions[n], f"{path}{n}.") for n, each in below.items()]
    return found


def _positions(text: str, start: int) -> dict[str, int]:
    """Return where the value of each member of an object is."""
    scan = parser(exact=False, careful=True)
    return {name: position for name, position, _ in members(text, start, scan)}


def _named(lists: _Lists, name: str) -> tuple[str, int] | None:
    return next((each for each in (*lists.of_objects, *lists.empty) if each[0] == name), None)


def _list_at(text: str, start: int, is_all: bool = False) -> Values:
    """Return what returns the items of the list at a position from a parser.

    Args:
        text: the text.
        start: the position.
        is_all: whether the text must end with the list.
    """

    def values(scan: Any) -> Iterator[Value]:  # noqa: ANN401
        end = yield from items(text, start, scan)
        if is_all:
            only(text, end)

    return values


def _short(name: str) -> str:
    return repr(name if len(name) <= _NAME_CHARACTERS else name[:_NAME_CHARACTERS] + "…")


def _unreadable(message: str) -> ReaderError:
    return ReaderError(ValueError(), message)
