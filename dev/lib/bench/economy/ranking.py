"""Which tool a search by BM25 finds first for a request, by names and descriptions alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import Stemmer

from bench.economy import yaml_file
from bench.economy.tasks import FILE as TASKS
from bench.economy.tasks import FOLDER

REQUESTS = FOLDER / "requests.yaml"
PUBLIC_TOOLS = FOLDER / "public-tools.yaml"
# Written by a test of the front end, from what it lists.
DESCRIPTIONS = FOLDER / "descriptions.json"

_PREFIX = "analytics_"
_PARTS = re.compile(r"[_\-]|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Tool:
    """What a search knows of a tool.

    Attributes:
        server: empty for Assay.
        name: of Assay's without the prefix of the group.
    """

    server: str
    name: str
    text: str


@dataclass(frozen=True)
class Request:
    """What somebody asks for, and the tool of Assay that is meant."""

    text: str
    tool: str


@dataclass(frozen=True)
class Miss:
    """A request for which another tool is first, or none has any of its words."""

    request: Request
    found: Tool | None

    def __str__(self) -> str:
        found = "nothing" if self.found is None else self.found.name
        server = f" of {self.found.server}" if self.found is not None and self.found.server else ""
        return f"{self.request.text!r}: {found}{server}, not {self.request.tool}"


def own_tools(file: Path = DESCRIPTIONS) -> list[Tool]:
    """Those of Assay."""
    found: dict[str, str] = json.loads(file.read_text())
    return [Tool("", name.removeprefix(_PREFIX), _text(name, text)) for name, text in found.items()]


def public_tools(file: Path = PUBLIC_TOOLS) -> list[Tool]:
    """Those of other servers."""
    return [
        Tool(server["server"], name, _text(name, text))
        for server in yaml_file.read(file)
        for name, text in server["tools"].items()
    ]


def requests(file: Path = REQUESTS) -> list[Request]:
    """Those in users' words."""
    return [
        Request(text, entry["tool"]) for entry in yaml_file.read(file) for text in entry["requests"]
    ]


def task_requests(file: Path = TASKS) -> list[Request]:
    """The prompts of the tasks."""
    return [Request(task["prompt"].strip(), task["tool"]) for task in yaml_file.read(file)]


def misses(asked: Sequence[Request], tools: Sequence[Tool]) -> list[Miss]:
    """The requests whose tool is not the first. Of two with the same score neither is."""
    index = bm25s.BM25()
    index.index(_words([tool.text for tool in tools]), show_progress=False)
    found = []
    for request, words in zip(asked, _words([one.text for one in asked]), strict=True):
        scores: list[float] = list(index.get_scores(words)) if words else []
        best = max(scores, default=0)
        first = [tool for tool, score in zip(tools, scores, strict=False) if score == best > 0]
        if [(tool.server, tool.name) for tool in first] != [("", request.tool)]:
            found.append(Miss(request, first[0] if first else None))
    return found


def figures() -> tuple[Mapping[str, float], Sequence[str]]:
    """The shares of requests and tasks whose tool is first, and a line for each miss."""
    ours, others = own_tools(), public_tools()
    shares: dict[str, float] = {}
    lines = []
    for kind, asked in (("requests", requests()), ("tasks", task_requests())):
        for among, tools in (("alone", ours), ("among others", [*ours, *others])):
            missed = misses(asked, tools)
            shares[f"{kind}, {among}"] = (len(asked) - len(missed)) / len(asked)
            lines += [f"{kind}, {among}: {miss}" for miss in missed]
    return shares, lines


def _text(name: str, description: str) -> str:
    return f"{_PARTS.sub(' ', name)} {description}"


def _words(texts: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = bm25s.tokenize(
        list(texts),
        stopwords="english",
        stemmer=Stemmer.Stemmer("english"),
        return_ids=False,
        show_progress=False,
    )
    return found
