"""The datasets of a run by name."""

from __future__ import annotations

import builtins
import keyword
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple, NoReturn

import pandas as pd

from assay_runner.snapshot_loading import NoFrameError, load

_SEPARATOR = re.compile("[ _.]")
_NON_WORD = re.compile(r"[^A-Za-z0-9_]")
# Operators as Python calls their methods.
_BINARY = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_OTHERS = (
    *("getitem", "setitem", "delitem", "setattr", "delattr", "len", "iter", "contains", "call"),
    *("bool", "int", "float", "index", "neg", "pos", "abs", "invert", "array", "enter"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
)


class Dataset(NamedTuple):
    """A dataset of a job, by its name in Kubernetes and the one that its owner wrote."""

    name: str
    display_name: str


class Datasets(MutableMapping[str, pd.DataFrame]):
    """What user code sees as `datasets`.

    The keys are the names in Kubernetes, such as `sales-data`. A lookup also accepts the name that
    the owner wrote, such as `sales_data` or `Sales Data`. A dataset is loaded on first access; one
    that is bound as a variable before the code runs, since Python cannot defer that.

    Args:
        directory: where each dataset's snapshot is mounted, under the dataset's name.
        names: the datasets, in order.
        load: loads the snapshot in a directory.
    """

    def __init__(
        self, directory: str, names: Sequence[str], load: Callable[[str], Any] = load
    ) -> None:
        self.directory = directory
        self._load = load
        self._frames: dict[str, pd.DataFrame | None] = dict.fromkeys(names)

    def of_job(self, job: Mapping[str, Any]) -> list[Dataset]:
        """Return the datasets of a job in its order; all of the Pod if the job names none."""
        named = job.get("datasets")
        if named is None:
            return [Dataset(name, name) for name in self._frames]
        return [Dataset(dataset["name"], dataset["displayName"]) for dataset in named]

    def bind(self, datasets: Sequence[Dataset], taken: Collection[str]) -> dict[str, Any]:
        """Choose the datasets of the run; returns those that are variables, loaded, by variable.

        What was loaded before is not loaded again.

        Args:
            datasets: those of the run, in its order.
            taken: variables that a dataset must not replace, besides builtins.
        """
        self.choose([name for name, _ in datasets])
        return {
            variable: self.variable(name) for variable, name in variables(datasets, taken).items()
        }

    def variable(self, name: str) -> Any:  # noqa: ANN401 - what `load` returns
        """Return the frame, or what says that there is none: code may read the file instead."""
        try:
            return self[name]
        except NoFrameError as error:
            return NoFrame(str(error))

    def choose(self, names: Sequence[str]) -> None:
        """Have these datasets, in this order; what was loaded before is not loaded again."""
        self._frames = {name: self._frames.get(name) for name in names}

    def __getitem__(self, name: str) -> pd.DataFrame:
        known = self._known(name)
        if known not in self._frames:
            available = f"it has: {self._listed()}" if self._frames else "it has none"
            raise KeyError(f"no dataset {name!r} in this run; {available}")
        frame = self._frames[known]
        if frame is None:
            frame = self._frames[known] = self._load(os.path.join(self.directory, known))
        return frame

    def __setitem__(self, name: str, frame: pd.DataFrame) -> None:
        self._frames[self._known(name)] = frame

    def __delitem__(self, name: str) -> None:
        del self._frames[self._known(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._known(name) in self._frames

    def __repr__(self) -> str:
        return f"datasets({self._listed()})"

    def _known(self, name: str) -> str:
        """Return the key that the name means, or the name itself if there is none."""
        if name in self._frames or not isinstance(name, str):
            return name
        resource_name = _SEPARATOR.sub("-", name.lower())
        return resource_name if resource_name in self._frames else name

    def _listed(self) -> str:
        return ", ".join(map(repr, self._frames))


class NoFrame:
    """Stands where a frame would: whatever code does with it raises an error that says why."""

    def __init__(self, reason: str) -> None:
        object.__setattr__(self, "_reason", reason)

    def refuse(self) -> NoReturn:
        """Raise the error."""
        raise NoFrameError(object.__getattribute__(self, "_reason"))

    def __getattr__(self, name: str) -> NoReturn:
        self.refuse()

    def __repr__(self) -> str:
        return f"<{object.__getattribute__(self, '_reason')}>"


def _refuse_operators() -> None:
    """Give `NoFrame` the methods that Python looks for in the class alone."""

    def refuse(self: NoFrame, *_arguments: object) -> NoReturn:
        self.refuse()

    for name in (*_BINARY, *(f"r{name}" for name in _BINARY), *_OTHERS):
        setattr(NoFrame, f"__{name}__", refuse)


_refuse_operators()


def table_name(display_name: str) -> str:
    """Return the name of a dataset's table."""
    return _NON_WORD.sub("_", display_name)


def variables(datasets: Sequence[Dataset], taken: Collection[str]) -> dict[str, str]:
    """Return the name of each dataset by its variables, `df` for the first included.

    Each dataset is bound under the name of its table and under its Kubernetes name with `_` for
    `-`. Of two datasets with one table name, none has it, but for the one with that Kubernetes
    name.

    Args:
        datasets: those of the run, in its order.
        taken: variables that a dataset must not replace, besides builtins.
    """
    own = {name.replace("-", "_"): name for name, _ in datasets}
    tables = Counter(table_name(display_name) for _, display_name in datasets)
    found = {"df": datasets[0].name} if datasets else {}
    for name, display_name in datasets:
        table = table_name(display_name)
        # Names in Kubernetes have no capitals.
        if own.get(table.lower(), name) == name and tables[table] == 1 and is_free(table, taken):
            found.setdefault(table, name)
        variable = name.replace("-", "_")
        if is_free(variable, taken):
            found.setdefault(variable, name)
    return found


def is_free(variable: str, taken: Collection[str]) -> bool:
    """Return whether a dataset can be bound as a variable.

    Args:
        variable: its name.
        taken: names that a dataset must not replace, besides builtins.
    """
    return (
        variable.isidentifier()
        and not keyword.iskeyword(variable)
        and not hasattr(builtins, variable)
        and variable not in taken
    )
