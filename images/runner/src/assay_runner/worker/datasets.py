"""The datasets of a run by name, each loaded when it is first used."""

from __future__ import annotations

import builtins
import keyword
import os
from collections.abc import Collection, Iterator, MutableMapping, Sequence

import pandas as pd

from assay_runner.snapshots import load


class Datasets(MutableMapping[str, pd.DataFrame]):
    """What user code sees as `datasets`.

    Args:
        directory: where each dataset's snapshot is mounted under its name.
        names: the datasets of this run.
    """

    def __init__(self, directory: str, names: Sequence[str]) -> None:
        self._directory = directory
        self._frames: dict[str, pd.DataFrame | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._frames:
            known = f"only: {self._listed()}" if self._frames else "which has none"
            raise KeyError(f"no dataset {name!r} in this run, {known}")
        frame = self._frames[name]
        if frame is None:
            frame = self._frames[name] = load(os.path.join(self._directory, name))
        return frame

    def __setitem__(self, name: str, frame: pd.DataFrame) -> None:
        self._frames[name] = frame

    def __delitem__(self, name: str) -> None:
        del self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)

    def __contains__(self, name: object) -> bool:
        return name in self._frames

    def __repr__(self) -> str:
        return f"datasets({self._listed()})"

    def _listed(self) -> str:
        return ", ".join(map(repr, self._frames))


def variables(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return the datasets that are bound as variables of their own names.

    Args:
        names: the datasets of the run; the first is `df` instead.
        taken: variables that are bound anyway, and win as builtins do.
    """
    return [
        name
        for name in names[1:]
        if name.isidentifier()
        and not keyword.iskeyword(name)
        and not hasattr(builtins, name)
        and name not in taken
    ]
