"""The folder of `--data`, as the calls of an agent see it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay_client import _folder
from assay_client._errors import AssayError
from assay_client._folder import Folder, Table
from assay_client._names import resource_name
from assay_client._uploads import PATIENCE_SECONDS, Uploads

#: The tools that read datasets. To others the names in their arguments mean something else.
_READS = {
    "analytics_execute_query",
    "analytics_profile_dataset",
    "analytics_stream_sample",
    "describe_dataset",
    "execute_custom_analytics_code",
}


class OfferedData:
    """The tables of a folder, for the calls of an agent.

    Args:
        folder: read again for each call that names a dataset.
        uploads: has the endpoint have what is named.
    """

    def __init__(self, folder: Path, uploads: Uploads) -> None:
        self._folder = folder
        self._uploads = uploads

    def prepare(
        self,
        tool: str,
        arguments: dict[str, Any],
        progress: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> list[str]:
        """Returns when the endpoint has each table that a call names, as its file is now.

        Returns:
            What the agent is to read besides the reply.

        Raises:
            AssayError: what the agent is to read in place of the reply.
        """
        if tool not in _READS or not _may_name_any(arguments):
            return []
        end = time.monotonic() + PATIENCE_SECONDS
        remarks = [
            self._uploads.ensure(table, progress, is_cancelled, end - time.monotonic())
            for table in named(_folder.read(self._folder), arguments)
        ]
        return [remark for remark in remarks if remark]

    def replied(
        self, tool: str, arguments: dict[str, Any], result: dict[str, Any], remarks: list[str]
    ) -> dict[str, Any]:
        """The result of a call as the client gets it."""
        name = str(arguments.get("dataset_name", ""))
        if tool == "list_datasets":
            return self._with_tables(result)
        if tool == "load_dataset" and result.get("isError") is not True:
            self._uploads.leave_alone(name)
        if tool == "delete_dataset":
            self._uploads.offer_again(name)
        return _with_text(result, "\n".join(remarks), []) if remarks else result

    def _with_tables(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result of `list_datasets`, with the tables that the endpoint does not have yet."""
        try:
            folder = _folder.read(self._folder)
        except AssayError as e:
            return _with_text(result, str(e), [])
        structured = result.get("structuredContent")
        listed = structured.get("datasets", []) if isinstance(structured, dict) else []
        known = {one.get("resourceName") for one in listed if isinstance(one, dict)}
        names = [table.name for key, table in folder.tables.items() if key not in known]
        lines = []
        if names:
            lines.append(
                "Tables of the user's folder, which are datasets too and are uploaded when a call"
                f" first names them: {', '.join(names)}"
            )
        lines += [f"Not offered: {sentence}" for sentence in folder.not_offered]
        return _with_text(result, "\n".join(lines), names) if lines else result


def named(folder: Folder, arguments: dict[str, Any]) -> list[Table]:
    """The tables that the arguments of a call name, each once.

    Code reads only datasets that the arguments name, so the code itself is not looked at. A query
    in SQL is, after FROM and JOIN: with the dataset there, the error names what is missing in
    `files`.

    Raises:
        AssayError: `Usage`, if they name more tables than a call may read.
    """
    found: dict[str, Table] = {}
    for text in _names_in(arguments):
        if any(wildcard in text for wildcard in "*?["):
            matches = folder.matching(text)
        else:
            match = folder.find(text)
            matches = [] if match is None else [match]
        found.update((resource_name(table.name), table) for table in matches)
    if arguments.get("query_type") == "sql" and isinstance(arguments.get("query"), str):
        found.update((resource_name(t.name), t) for t in folder.in_sql(arguments["query"]))
    if len(found) > _folder.MAX_NAMED:
        raise AssayError(
            "Usage",
            f"the call names {len(found)} tables of the folder, and the limit is"
            f" {_folder.MAX_NAMED}: name fewer",
        )
    return list(found.values())


def _may_name_any(arguments: dict[str, Any]) -> bool:
    return bool(_names_in(arguments)) or arguments.get("query_type") == "sql"


def _names_in(arguments: dict[str, Any]) -> list[str]:
    """The values of the arguments by which tools are given datasets."""
    names: list[Any] = [arguments.get("dataset_name"), arguments.get("file_path")]
    for several in (arguments.get("datasets"), arguments.get("files")):
        # In execute_custom_analytics_code, files are texts by their paths.
        names += several if isinstance(several, list) else []
    return [name for name in names if isinstance(name, str) and name]


def _with_text(result: dict[str, Any], text: str, names: list[str]) -> dict[str, Any]:
    content = result.get("content")
    changed = dict(result)
    changed["content"] = [
        *(content if isinstance(content, list) else []),
        {"type": "text", "text": text},
    ]
    structured = result.get("structuredContent")
    if isinstance(structured, dict) and names:
        changed["structuredContent"] = {**structured, "notUploaded": names}
    return changed


def dumped(message: dict[str, Any]) -> str:
    """A message on one line, whatever its texts contain."""
    return json.dumps(message, separators=(",", ":"))
