"""Datasets that come with the job, as open files, to a Pod that was made before."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from assay_runner.frames import FrameError, Message
from assay_runner.launcher.command import Command
from assay_runner.launcher.source_links import link_sources

_READ_ONLY = 0o555


class GivenDatasets:
    """Makes open files the datasets that a worker finds where others are mounted.

    Nothing else of the volume can be reached by them: they are files only, and a path through the
    descriptor of a file leads nowhere.

    Args:
        command: where datasets and links belong.
    """

    def __init__(self, command: Command) -> None:
        self._command = command
        self._waiting: list[int] = []
        self._files: dict[str, int] = {}
        self._display_names: dict[str, str] = {}

    def received(self, descriptors: Sequence[int]) -> None:
        """Take descriptors that have come, with the first byte of their message."""
        self._waiting += descriptors

    def add(self, message: Message) -> None:
        """Add files of a dataset.

        Args:
            message: `dataset`, whose descriptors have come.

        Raises:
            FrameError: if there are fewer, such as at the limit of this process.
        """
        name, paths = message["name"], message["files"]
        if len(paths) > len(self._waiting):
            raise FrameError("descriptors are missing")
        self._display_names[name] = message["displayName"]
        for path in paths:
            self._files[os.path.join(name, path)] = self._waiting.pop(0)

    def link(self) -> None:
        """Link all files, in the directory of the datasets and in the working directory.

        Raises:
            OSError: if that is not possible.
        """
        # Most Pods have their datasets mounted.
        from assay_runner.launcher.holder import hold

        try:
            holder = hold(list(self._files.values()), network=self._command.network_filter)
            _link(self._command.datasets_directory, self._files, holder)
        finally:
            while self._files:
                os.close(self._files.popitem()[1])
        link_sources(self._command.datasets_directory, self._command.workspace, self._display_names)


def _link(directory: str, files: Mapping[str, int], holder: int) -> None:
    for path, descriptor in files.items():
        link = os.path.join(directory, path)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(f"/proc/{holder}/fd/{descriptor}", link)
    _make_read_only(directory, {path.partition("/")[0] for path in files})


def _make_read_only(directory: str, datasets: Collection[str]) -> None:
    """Have a write to a dataset fail as in a read-only mount, instead of replacing a link.

    Code in Python can undo that, for its own process only: the files themselves are read-only.
    """
    for dataset in datasets:
        for folder, _, _ in os.walk(os.path.join(directory, dataset)):
            os.chmod(folder, _READ_ONLY)
