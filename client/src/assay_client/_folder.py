"""The tables in a folder, under the names that local mode gives them."""

from __future__ import annotations

import fnmatch
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from assay_client import _names
from assay_client._errors import AssayError
from assay_client._text import one_line

#: As in local mode, so that a folder has the same names there.
MAX_TABLES = 300
#: Of one call; the endpoint refuses more.
MAX_NAMED = 16
_MAX_IGNORED = 10


@dataclass(frozen=True)
class Table:
    """A file of the folder.

    Attributes:
        name: of its dataset, as people write it.
        file: where it is.
        type: how it is read.
    """

    name: str
    file: Path
    type: _names.FileType


@dataclass(frozen=True)
class Folder:
    """What a folder offers.

    Attributes:
        tables: by the resource names of their datasets.
        not_offered: a sentence for each file that looks like a table and cannot be offered, and one
            for all others.
    """

    tables: dict[str, Table] = field(default_factory=dict)
    not_offered: list[str] = field(default_factory=list)

    def find(self, text: str) -> Table | None:
        """The table that an argument of a tool names.

        Args:
            text: a name, `dataset://NAME`, or `NAME.csv` with or without `/workspace/`.
        """
        name = _names.without_prefix(text)
        found = self.tables.get(_names.resource_name(name))
        if found is None and "/" not in name:
            type_ = _names.file_type(name)
            found = None if type_ is None else self.tables.get(_names.resource_name(type_.stem))
        return found

    def matching(self, pattern: str) -> list[Table]:
        """The tables that a pattern matches, as `sales_*` and `/workspace/sales_*.csv` do."""
        wanted = _names.without_prefix(pattern)
        return [
            table
            for table in self.tables.values()
            if fnmatch.fnmatchcase(table.name, wanted)
            or fnmatch.fnmatchcase(f"{table.name}.{_in_pod(table.type.format)}", wanted)
        ]

    def in_sql(self, sql: str) -> list[Table]:
        """The tables that a query reads."""
        by_name = {table.name: table for table in self.tables.values()}
        return [by_name[name] for name in _names.in_sql(sql, by_name)]


def read(folder: Path) -> Folder:
    """Reads the names in a folder, not what is in subfolders.

    Raises:
        AssayError: `Environment`, if it is not a folder that can be read.
    """
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError:
        raise AssayError(
            "Environment", f"--data: {folder} is not a folder that can be read"
        ) from None
    found = Folder()
    ignored: list[str] = []
    beyond = 0
    typed = [(name, _names.file_type(name)) for name in names if not name.startswith((".", "~$"))]
    # A file keeps its own name, whichever others are near to it.
    typed.sort(key=lambda one: one[1] is None or not _names.is_valid(one[1].stem))
    for name, type_ in typed:
        file = folder / name
        if type_ is None:
            ignored.append(name)
        elif len(found.tables) == MAX_TABLES:
            beyond += 1
        elif why := _unreadable(file):
            found.not_offered.append(f"{name}: {why}")
        else:
            _offer(found, name, file, type_)
    if beyond:
        found.not_offered.append(
            f"{beyond} more files: a folder offers the first {MAX_TABLES} by name. Name a smaller"
            " folder, or load single files with 'assay-client datasets load NAME FILE'"
        )
    if ignored:
        shown = [
            name + "/" if (folder / name).is_dir() else name for name in ignored[:_MAX_IGNORED]
        ]
        if len(ignored) > _MAX_IGNORED:
            shown.append(f"and {len(ignored) - _MAX_IGNORED} more")
        found.not_offered.append(
            f"{', '.join(shown)}: only files directly in the folder are offered, with these"
            f" endings: {_names.ENDINGS}"
        )
    return Folder(found.tables, [one_line(sentence) for sentence in found.not_offered])


def _offer(found: Folder, name: str, file: Path, type_: _names.FileType) -> None:
    for wanted in (_names.nearest(type_.stem), _names.nearest(name)):
        if not wanted:
            break
        if _names.resource_name(wanted) not in found.tables:
            found.tables[_names.resource_name(wanted)] = Table(wanted, file, type_)
            return
    found.not_offered.append(f"{name}: rename it; {_names.RULE}, and no other dataset has it")


def _unreadable(file: Path) -> str:
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return "not a regular file, or a symbolic link"
    except OSError:
        return "it cannot be read"
    return "" if os.access(file, os.R_OK) else "it cannot be read: change its permissions"


def _in_pod(format_: str) -> str:
    """The ending of the file of a dataset in the Pod of a run."""
    return "xlsx" if format_ == "excel" else format_
