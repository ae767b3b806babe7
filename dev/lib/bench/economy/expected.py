"""Computes the answers of the tasks with pandas, outside of every system.

`python -m bench.economy.expected FOLDER` compares them with those of expected.json, for a folder
that `tables.collect` has filled; with --write it writes them. `--files` is for those of
expected-files.json, and a folder that `slices.cut` has filled.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.economy import slices
from bench.economy.tables import Tables
from bench.economy.tasks import FOLDER

FILE = FOLDER / "expected.json"
FILE_OF_FILES = FOLDER / "expected-files.json"

Rows = list[list[Any]]

# The types that systems have for a column which pandas reads as this kind. Whole numbers with
# missing values are integers in a database.
_TYPES = {
    "i": "int64|BIGINT|INTEGER",
    "f": "float64|DOUBLE|BIGINT",
    "O": "str|string|category|datetime|object|VARCHAR|TIMESTAMP|TIMESTAMP WITH TIME ZONE",
}


class Frames:
    """The tables as pandas reads them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._read = cache(self._frame)

    def _frame(self, name: str) -> pd.DataFrame:
        path = self._tables.path(name)
        return pd.read_json(path) if path.suffix == ".json" else pd.read_csv(path)

    def __getattr__(self, name: str) -> pd.DataFrame:
        return self._read(name)


def _shape(of: Frames) -> Rows:
    flights = of.flights
    types = [[str(name), _TYPES[_kind(flights[name])]] for name in flights.columns]
    return [[len(flights)], *types]


def _kind(column: pd.Series) -> str:
    return column.dtype.kind if pd.api.types.is_numeric_dtype(column) else "O"


def _missing(frame: pd.DataFrame, count: int) -> Rows:
    return _rows((frame.isna().mean() * 100).nlargest(count))


def _date_range(of: Frames) -> Rows:
    dates = pd.to_datetime(of.stocks["date"], format="%b %d %Y")
    return [[_day(dates.min()), _day(dates.max())]]


def _best_variety(of: Frames) -> Rows:
    means = of.barley.groupby(["site", "variety"])["yield"].mean().unstack()
    return [[site, means.loc[site].idxmax(), means.loc[site].max()] for site in means.index]


def _highest_grossing(of: Frames) -> Rows:
    films = of.movies.dropna(subset=["Major Genre", "Worldwide Gross"])
    best = films.sort_values("Worldwide Gross").groupby("Major Genre").tail(1)
    return [
        [row["Major Genre"], str(row["Title"]), int(row["Worldwide Gross"])]
        for _, row in best.iterrows()
    ]


def _delay_and_visibility(of: Frames) -> Rows:
    joined = of.flights.merge(of.weather, on=["origin", "time_hour"])
    is_low = joined["visib"] < 2
    return [
        [str(low), float(joined.loc[is_low == low, "dep_delay"].mean())] for low in (False, True)
    ]


def _old_planes(of: Frames) -> Rows:
    old = of.planes.query("year < 1990")["tailnum"]
    still = of.flights[of.flights["tailnum"].isin(old)].drop_duplicates(["carrier", "tailnum"])
    return _rows(still["carrier"].value_counts().head(3))


def _best_month(of: Frames) -> Rows:
    prices = of.stocks.query("symbol == 'AAPL'").copy()
    prices["day"] = pd.to_datetime(prices["date"], format="%b %d %Y")
    prices = prices.sort_values("day")
    changes = (prices["price"] / prices["price"].shift() - 1) * 100
    best = prices.loc[changes == changes.max(), "day"]
    return [[_day(best.iloc[0]), float(changes.max())]]


def _busiest_week(of: Frames) -> Rows:
    daily = of.flights.groupby(["year", "month", "day"]).size().reset_index(name="n")
    weeks = daily["n"].rolling(7).mean()
    end = daily[weeks == weeks.max()].iloc[0]
    return [[f"{end.year}-{end.month:02}-{end.day:02}", float(weeks.max())]]


def _dry_spell(of: Frames) -> Rows:
    longest, since, begin = 0, 0, ""
    days = of.seattle_weather.sort_values("date")
    for date, rain in zip(days["date"], days["precipitation"], strict=True):
        since = since + 1 if rain == 0 else 0
        if since > longest:
            longest, begin = since, _day(pd.Timestamp(date) - pd.Timedelta(days=since - 1))
    return [[longest, begin]]


def _growth(of: Frames) -> Rows:
    decades = of.co2.assign(decade=of.co2["Date"].str[:3].astype(int) * 10)
    means = decades.query("1960 <= decade <= 2010").groupby("decade")["CO2"].mean()
    return _rows(means.diff().dropna())


def _changes_of_rank(of: Frames) -> Rows:
    number = of.flights.pivot_table(index="carrier", columns="month", values="day", aggfunc="count")
    ranks = number.rank(ascending=False, method="min")
    both = ranks[[1, 12]].dropna()
    return [["carriers", int((both[1] != both[12]).sum())]]


def _duplicate_keys(of: Frames) -> Rows:
    keys = of.weather[["origin", "month", "day", "hour"]]
    return [["combinations", len(keys[keys.duplicated()].drop_duplicates())]]


def _impossible(of: Frames) -> Rows:
    hours, minutes = np.divmod(of.flights["dep_time"].dropna(), 100)
    return [["impossible", int(((hours >= 24) | (minutes >= 60)).sum())]]


def _outliers(of: Frames) -> Rows:
    price = of.stocks["price"]
    low, high = np.quantile(price, [0.25, 0.75])
    reach = 1.5 * (high - low)
    return [["outliers", int((~price.between(low - reach, high + reach)).sum())]]


def _mixed(of: Frames) -> Rows:
    numbers = sum(_is_number(title) for title in of.movies["Title"].dropna())
    return [["numbers", numbers]]


def _is_number(title: object) -> bool:
    try:
        float(str(title))
    except ValueError:
        return False
    return True


def _row_4321(of: Frames) -> Rows:
    flights = of.flights.assign(late=-of.flights["arr_delay"])
    row = flights.sort_values(["late", "time_hour", "carrier", "flight"]).iloc[4320]
    return [[row["carrier"], int(row["flight"]), int(row["arr_delay"])]]


def _routes(of: Frames) -> Rows:
    return _rows(of.flights.groupby(["origin", "dest"]).size().nlargest(10))


def _drift(of: Frames) -> Rows:
    one, seven = (of.flights.query(f"month == {month}")["dep_delay"].dropna() for month in (1, 7))
    both = np.concatenate([one, seven])
    edges = np.linspace(both.min(), both.max(), 11)
    a, b = (
        np.clip(np.histogram(part, edges)[0] / len(part), 0.0001, None) for part in (one, seven)
    )
    return [["psi", float(np.sum((b - a) * np.log(b / a)))]]


def _regression(of: Frames) -> Rows:
    joined = of.flights.merge(of.weather, on=["origin", "time_hour"])
    known = joined[["dep_delay", "visib"]].dropna()
    slope, intercept = np.polyfit(known["visib"], known["dep_delay"], 1)
    residuals = known["dep_delay"] - (slope * known["visib"] + intercept)
    return [["r2", float(1 - residuals.var() / known["dep_delay"].var())]]


def _seats(of: Frames) -> Rows:
    seats = of.planes.set_index("tailnum")["seats"]
    flown = of.flights.assign(seats=of.flights["tailnum"].map(seats)).dropna(subset=["seats"])
    return _rows(flown.groupby("dest")["seats"].mean().nlargest(5))


def _most_delayed(of: Frames) -> Rows:
    means = of.flights.groupby("carrier")["arr_delay"].mean()
    names = of.airlines.loc[of.airlines["carrier"] == means.idxmax(), "name"]
    return [[names.iloc[0], float(means.max())]]


def _means(frame: pd.DataFrame, by: str, of: str, count: int) -> Rows:
    return _rows(frame.groupby(by)[of].mean().nlargest(count))


_ANSWERS: Mapping[str, Callable[[Frames], Rows]] = {
    "shape": _shape,
    "most-missing": lambda of: _missing(of.weather, 3),
    "distinct-carriers": lambda of: [["carriers", len(set(of.flights["carrier"]))]],
    "date-range": _date_range,
    "table-with-seats": lambda of: [["planes"]],
    "mean-arrival-delay": lambda of: [["delay", float(of.flights["arr_delay"].mean())]],
    "distance-of-ua": lambda of: [
        ["distance", int(of.flights.query("carrier == 'UA'")["distance"].sum())]
    ],
    "horsepower-by-origin": lambda of: _rows(of.cars.groupby("Origin")["Horsepower"].median()),
    "share-of-rain": lambda of: [
        ["share", float(of.seattle_weather["weather"].value_counts(normalize=True)["rain"])]
    ],
    "worst-month": lambda of: _means(of.flights, "month", "dep_delay", 1),
    "busiest-routes": _routes,
    "most-miles": lambda of: _rows(of.flights.groupby("tailnum")["distance"].sum().nlargest(5)),
    "best-variety": _best_variety,
    "highest-grossing": _highest_grossing,
    "slowest-into-ord": lambda of: _means(
        of.flights.query("dest == 'ORD'"), "carrier", "arr_delay", 3
    ),
    "airline-with-most-delay": _most_delayed,
    "seats-by-destination": _seats,
    "missing-airports": lambda of: [
        [code] for code in sorted(set(of.flights["dest"]) - set(of.airports["faa"]))
    ],
    "delay-and-visibility": _delay_and_visibility,
    "old-planes": _old_planes,
    "best-month-of-aapl": _best_month,
    "busiest-week": _busiest_week,
    "longest-dry-spell": _dry_spell,
    "growth-of-co2": _growth,
    "changes-of-rank": _changes_of_rank,
    "duplicate-keys": _duplicate_keys,
    "impossible-times": _impossible,
    "outliers": _outliers,
    "mixed-types": _mixed,
    "worst-column": lambda of: _missing(of.movies, 1),
    "misspelt-column": lambda of: [["mean", float(of.flights["dep_delay"].mean())]],
    "misspelt-table": lambda of: [["total", len(of.flights.query("carrier == 'AA'"))]],
    "text-and-number": lambda of: [
        ["total", int((of.cars["Year"].str[:4].astype(int) > 1975).sum())]
    ],
    "unlisted-file": lambda of: [["total", len(of.airlines)]],
    "everything": lambda of: [[len(of.flights)]],
    "row-4321": _row_4321,
    "export": lambda of: [[len(of.flights.query("carrier == 'HA'"))]],
    "chart": lambda of: [[f"{origin}-{dest}", count] for origin, dest, count in _routes(of)],
    "drift": _drift,
    "regression": _regression,
}


def _missing_times(of: Frames) -> Rows:
    columns = ("dep_time", "arr_time", "air_time")
    return [[name, int(of.flights_july[name].isna().sum())] for name in columns]


def _wettest_day(of: Frames) -> Rows:
    return _rows(of.weather_ewr.groupby(["month", "day"])["precip"].sum().nlargest(1))


def _temperatures(of: Frames) -> Rows:
    temp = of.weather_lga["temp"]
    return [[float(temp.mean())], [float(temp.std())], [float(temp.median())]]


def _distance_of_ratings(of: Frames) -> Rows:
    films = of.films.dropna(subset=["IMDB Rating", "Rotten Tomatoes Rating"])
    distance = films["IMDB Rating"] - films["Rotten Tomatoes Rating"] / 10
    return [[float(distance.abs().mean())], [float((distance**2).mean() ** 0.5)]]


_ANSWERS_OF_FILES: Mapping[str, Callable[[Frames], Rows]] = {
    "latest-destinations": lambda of: _means(of.flights_january, "dest", "arr_delay", 5),
    "missing-times": _missing_times,
    "wettest-day": _wettest_day,
    "temperatures": _temperatures,
    "distance-of-ratings": _distance_of_ratings,
}
_ALL_ANSWERS = {**_ANSWERS, **_ANSWERS_OF_FILES}


def _rows(series: pd.Series) -> Rows:
    """The keys of a series, and its value."""
    return [[*_keys(key), _number(value)] for key, value in series.items()]


def _keys(key: Any) -> Iterable[str | int]:
    parts = key if isinstance(key, tuple) else (key,)
    return [part if isinstance(part, str) else int(part) for part in parts]


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _day(time: Any) -> str:
    return f"{time:%Y-%m-%d}"


def computed(tables: Tables, names: Iterable[str] = _ANSWERS) -> dict[str, Rows]:
    """The answers of tasks, by name."""
    frames = Frames(tables)
    return {name: _ALL_ANSWERS[name](frames) for name in names}


def stored(file: Path = FILE) -> dict[str, Any]:
    """What a file has."""
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def differences(found: Mapping[str, Any], file: Mapping[str, Any]) -> list[str]:
    """A line for each task whose answer the file has not, or has otherwise."""
    return [
        f"{name}: the file has {file.get(name)!r:.300}, computed is {rows!r:.300}"
        for name, rows in found.items()
        if not _same(rows, file.get(name))
    ]


def _same(one: Any, other: Any) -> bool:
    """Sums of another order differ in their last digits."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= 1e-9 * abs(one)
    return type(one) is type(other) and bool(one == other)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or write; returns the exit status."""
    parser = argparse.ArgumentParser(prog="bench.economy.expected", description=__doc__)
    parser.add_argument("folder", type=Path, help="with the files of the tables")
    parser.add_argument("--files", action="store_true", help="those of expected-files.json")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    file = FILE_OF_FILES if options.files else FILE
    tables = slices.of(options.folder) if options.files else Tables(options.folder)
    found = computed(tables, _ANSWERS_OF_FILES if options.files else _ANSWERS)
    if options.write:
        lines = [f" {json.dumps(name)}: {json.dumps(rows)}" for name, rows in found.items()]
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return 0
    wrong = differences(found, stored(file))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
