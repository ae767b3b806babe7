"""Which tool a search by BM25 finds first for a request, by names and descriptions alone.

BM25 and its words are those of the search of OpenAI's Codex, whose source is public
(codex-rs/core/src/tools/handlers/tool_search.rs, with the crate bm25): k1 1.2 and b 0.75, lower
case, the English stop words of NLTK, the English stemmer of Snowball. Names are split into words.

Codex counts the names of arguments too, and Anthropic's tool search their names and descriptions
(https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool). Here they are left
out for all tools, since the sources of many public servers do not have them as literals.
"""

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

# What counts of a description, of Assay's and of the public tools: the first paragraph up to here.
MAX_CHARACTERS = 500

# So many tools are what a search hands to a model: Anthropic's 3 to 5, Codex 8.
FEW = 5

_K1 = 1.2
_B = 0.75
_PREFIX = "analytics_"
_END = re.compile(r"\n\s*\n")
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
    """A request for which another tool is first, or none has any of its words.

    Attributes:
        found: the other tool.
        place: of the intended tool, after those with the same score; None without a common word.
    """

    request: Request
    found: Tool | None
    place: int | None

    def __str__(self) -> str:
        found = "nothing" if self.found is None else self.found.name
        server = f" of {self.found.server}" if self.found is not None and self.found.server else ""
        return f"{self.request.text!r}: {found}{server}, not {self.request.tool}"


def own_tools(file: Path = DESCRIPTIONS) -> list[Tool]:
    """Those of Assay."""
    found: dict[str, str] = json.loads(file.read_text())
    return [
        Tool("", name.removeprefix(_PREFIX), _text(name, summary(text)))
        for name, text in found.items()
    ]


def summary(description: str) -> str:
    """The first paragraph in one line, cut at a space where it is longer than MAX_CHARACTERS."""
    paragraph = " ".join(_END.split(description.strip())[0].split())
    if len(paragraph) <= MAX_CHARACTERS:
        return paragraph
    return paragraph[:MAX_CHARACTERS].rsplit(" ", 1)[0]


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
    index = bm25s.BM25(k1=_K1, b=_B)
    index.index(_words([tool.text for tool in tools]), show_progress=False)
    found = []
    for request, words in zip(asked, _words([one.text for one in asked]), strict=True):
        scores: list[float] = index.get_scores(words).tolist() if words else [0.0] * len(tools)
        own, best = 0.0, 0.0
        other: Tool | None = None
        for tool, score in zip(tools, scores, strict=True):
            if (tool.server, tool.name) == ("", request.tool):
                own = score
            elif score > best:
                best, other = score, tool
        place = sum(score >= own for score in scores) if own > 0 else None
        if place != 1:
            found.append(Miss(request, other, place))
    return found


def figures() -> tuple[Mapping[str, float], Sequence[str]]:
    """The shares of requests and tasks whose tool is first or one of FEW; a line for each miss."""
    ours, others = own_tools(), public_tools()
    shares: dict[str, float] = {}
    lines = []
    for kind, asked in (("requests", requests()), ("tasks", task_requests())):
        for among, tools in (("alone", ours), ("among others", [*ours, *others])):
            missed = misses(asked, tools)
            far = [miss for miss in missed if miss.place is None or miss.place > FEW]
            shares[f"{kind}, {among}"] = (len(asked) - len(missed)) / len(asked)
            shares[f"{kind}, {among}, first {FEW}"] = (len(asked) - len(far)) / len(asked)
            lines += [f"{kind}, {among}: {miss}" for miss in missed]
    return shares, lines


def _text(name: str, description: str) -> str:
    return f"{_PARTS.sub(' ', name)} {description}"


def _words(texts: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = bm25s.tokenize(
        list(texts),
        stopwords="english_plus",
        stemmer=Stemmer.Stemmer("english"),
        return_ids=False,
        show_progress=False,
    )
    return found
