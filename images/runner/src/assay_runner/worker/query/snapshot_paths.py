"""Hides where datasets are mounted, which callers have never heard of."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assay_runner.worker.datasets import Dataset, table_name

_REST_OF_PATH = r"(?:/[^\s\]\[()'\",;:]*)?"


def without_paths(directory: str, datasets: Sequence[Dataset], code: str) -> Callable[[str], str]:
    """Return a function that writes the table of a dataset for each path in its snapshot.

    Args:
        directory: where the datasets are mounted.
        datasets: those of the job.
        code: text of the script; paths are left alone if it has some itself.
    """
    tables = {name: table_name(display_name) for name, display_name in datasets}
    if not tables or directory in code:
        return lambda text: text
    # The longest first: names may begin with other names.
    names = "|".join(re.escape(name) for name in sorted(tables, key=len, reverse=True))
    paths = re.compile(rf"{re.escape(directory)}/({names})(?![\w.-]){_REST_OF_PATH}")
    return lambda text: paths.sub(lambda path: tables[path[1]], text)
