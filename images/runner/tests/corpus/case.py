"""One file of the corpus, and how pandas reads it outside of a run."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from assay_runner.options import OPTIONS


@dataclass(frozen=True)
class Case:
    """One file.

    Attributes:
        file: its name.
        format: of the snapshot's source.
        make: returns its bytes.
        options: of the source.
        compression: of the source.
        limits: of the source.
        refused: the type of our own refusal; None where the result is pandas', table or error.
        secret: text of the file that no refusal may quote.
    """

    file: str
    format: str
    make: Callable[[], bytes]
    options: Mapping[str, Any] = field(default_factory=dict)
    compression: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    refused: str | None = None
    secret: str = "secret"  # noqa: S105 - only the word

    @property
    def source(self) -> dict[str, object]:
        """The `source` of the job, without what tells where the bytes are."""
        members: dict[str, object] = {"format": self.format}
        if self.options:
            members["options"] = dict(self.options)
        if self.compression:
            members["compression"] = self.compression
        if self.limits:
            members["limits"] = dict(self.limits)
        return members

    @functools.cached_property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.make()

    def as_pandas(self) -> Case:
        """Return the same file, to be read with the types that pandas gives its values."""
        if "types" not in OPTIONS.get(self.format, ()):
            return self
        return replace(self, options={**self.options, "types": "pandas"})

    def outside(self, *, exact: bool = False) -> pd.DataFrame | Exception:
        """Return the frame that an ordinary call of pandas reads from the file.

        Args:
            exact: whether numbers in text are rounded correctly, and no chunk has other types.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._read(io.BytesIO(self.data), exact=exact)
        except Exception as error:
            return error

    def _read(self, file: io.BytesIO, *, exact: bool) -> pd.DataFrame:
        options = {name: value for name, value in self.options.items() if name != "types"}
        if exact and len(options.get("sep", ",")) == 1 and self.format in ("csv", "tsv"):
            options |= {"float_precision": "round_trip", "low_memory": False}
        if exact and self.format in ("json", "ndjson"):
            kept = {"dtype": False, "convert_dates": False, "precise_float": True}
            options = {**kept, **options}
        packed: dict[str, Any] = {"compression": self.compression} if self.compression else {}
        if self.format == "tsv":
            frame = pd.read_table(file, **options, **packed)
        elif self.format == "csv":
            frame = pd.read_csv(file, **options, **packed)
        elif self.format == "json":
            frame = pd.read_json(file, **options, **packed)
        elif self.format == "ndjson":
            frame = pd.read_json(file, lines=True, **options, **packed)
        elif self.format == "parquet":
            frame = pd.read_parquet(file, **options)
        elif self.format == "feather":
            frame = pd.read_feather(file, **options)
        else:
            frame = pd.read_excel(file, **options)
        assert isinstance(frame, pd.DataFrame)
        return frame


def text(content: str, encoding: str = "utf-8") -> Callable[[], bytes]:
    """Return a function that makes a text file."""
    return lambda: content.encode(encoding)
