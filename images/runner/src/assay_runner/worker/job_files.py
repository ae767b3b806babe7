"""What a job brings into the working directory: texts, and artifacts of earlier runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay_runner.frames import Message

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class JobFileError(Exception):
    """A file of the job cannot be had in the working directory; the message says why."""


def place_files(job: Message) -> None:
    """Write the texts of a job into the working directory, and link its inputs there.

    What is in their place, such as the link to a dataset, is replaced.

    Raises:
        JobFileError: if one cannot be written.
    """
    for file in job.get("files") or ():
        with _placed(file["path"]) as (folder, name):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            descriptor = os.open(name, flags, 0o644, dir_fd=folder)
            with open(descriptor, "w", encoding="utf-8", newline="") as target:
                target.write(file["text"])
    for given in job.get("inputs") or ():
        if given.get("path") is not None:
            with _placed(given["path"]) as (folder, name):
                os.symlink(_input_path(given), name, dir_fd=folder)


def kept_frames(job: Message) -> dict[str, KeptFrame]:
    """Return the frames among the inputs of a job, by name."""
    files: dict[str, dict[str, str]] = {}
    for given in job.get("inputs") or ():
        if given.get("frame") is not None:
            files.setdefault(given["frame"], {})[given["kind"]] = _input_path(given)
    return {name: KeptFrame(name, paths) for name, paths in files.items()}


class KeptFrame:
    """A frame that an earlier run has kept.

    Args:
        name: its name.
        paths: its files, by kind.
    """

    def __init__(self, name: str, paths: Mapping[str, str]) -> None:
        self._name = name
        self._paths = paths

    def load(self) -> pd.DataFrame:
        """Return it as pandas had it, or as pandas reads its table if Arrow could not hold it.

        Raises:
            JobFileError: if its files are not what was kept.
        """
        try:
            if "arrow" in self._paths:
                from assay_runner.snapshot_files import read_frame

                frame: Any = read_frame(self._paths["arrow"])
            else:
                import pandas as pd

                frame = pd.read_parquet(self._paths["parquet"])
        except Exception as error:
            raise self._unusable(error) from None
        return frame  # type: ignore[no-any-return]

    def scan(self) -> pl.LazyFrame:
        """Return it as Polars reads its table.

        Raises:
            JobFileError: if it has none.
        """
        import polars as pl

        if "parquet" not in self._paths:
            raise JobFileError(f"the kept frame {self._name} has no table")
        return pl.scan_parquet(self._paths["parquet"], hive_partitioning=False)

    def _unusable(self, error: Exception) -> JobFileError:
        return JobFileError(
            f"the kept frame {self._name} cannot be read: {type(error).__name__}: {error}"
        )


def _input_path(given: Message) -> str:
    directory = os.environ.get("ASSAY_INPUTS_DIR", "/inputs")
    return os.path.join(directory, str(given["number"]))


@contextmanager
def _placed(path: str) -> Iterator[tuple[int, str]]:
    """Make room for a file; yields the folder that it goes to, and its name there.

    Folders are entered without following links: one may lead to a dataset.
    """
    *above, name = path.split("/")
    folder = os.open(".", _FOLDER_FLAGS)
    try:
        for step in above:
            if not _exists(step, folder):
                os.mkdir(step, dir_fd=folder)
            inner = os.open(step, _FOLDER_FLAGS, dir_fd=folder)
            os.close(folder)
            folder = inner
        if _exists(name, folder):
            os.unlink(name, dir_fd=folder)
        yield folder, name
    except OSError as error:
        raise JobFileError(f"the file {path} cannot be written: {error.strerror}") from None
    finally:
        os.close(folder)


def _exists(name: str, folder: int) -> bool:
    try:
        os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True
