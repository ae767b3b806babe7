"""The names and values that a script in JavaScript takes for granted.

It is no parser: scripts of tasks have neither regular expressions nor templates with expressions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*)
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<sign>=>|\.\.\.|\?\?|[^\s\w])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\.")
_DECLARING = {"const", "let", "function"}
_OPENING = {"(": ")", "[": "]", "{": "}"}

_LANGUAGE = {
    *("const", "let", "function", "return", "for", "of", "if", "else", "new", "true", "false"),
    *("null", "undefined", "typeof", "in", "while", "continue", "break"),
    *("Array", "JSON", "Map", "Math", "Number", "Object", "Set", "String"),
    *("abs", "add", "entries", "filter", "flat", "flatMap", "forEach", "get", "groupBy", "has"),
    *("indexOf", "join", "keys", "length", "map", "max", "min", "parse", "push", "reduce", "set"),
    *("slice", "sort", "split", "sqrt", "stringify", "trim", "values"),
}


@dataclass(frozen=True)
class Words:
    """What a script has that an agent has to have read.

    Attributes:
        names: that the script does not define, words of the language excepted.
        texts: without quotes and escapes.
        numbers: as they are written.
    """

    names: Sequence[str]
    texts: Sequence[str]
    numbers: Sequence[str]


def words(script: str) -> Words:
    """Those of a script."""
    tokens = [
        (str(match.lastgroup), match.group())
        for match in _TOKEN.finditer(script)
        if match.lastgroup != "comment"
    ]
    defined = _defined([word for _, word in tokens])
    names = [
        word
        for position, (kind, word) in enumerate(tokens)
        if kind == "word"
        and word not in _LANGUAGE
        # What stands behind a dot is a member, whatever else has its name.
        and (word not in defined or (position and tokens[position - 1][1] == "."))
    ]
    return Words(
        sorted(set(names)),
        [_ESCAPE.sub(" ", word[1:-1]).strip() for kind, word in tokens if kind == "text"],
        [word for kind, word in tokens if kind == "number"],
    )


def _defined(words: Sequence[str]) -> set[str]:
    """The names that declarations and parameters give; members that a pattern takes are not."""
    found: set[str] = set()
    for position, word in enumerate(words):
        if word in _DECLARING:
            found.update(_pattern(words, position + 1))
        elif word == "=>":
            found.update(_pattern(words, _begin(words, position - 1)))
    return found


def _pattern(words: Sequence[str], begin: int) -> list[str]:
    """The names of a pattern that begins here; none of one with braces, which are members."""
    if words[begin] not in _OPENING:
        return [words[begin]]
    end = _end(words, begin)
    return [] if words[begin] == "{" else [word for word in words[begin:end] if word.isidentifier()]


def _begin(words: Sequence[str], end: int) -> int:
    """Where the parameters begin whose last token is at `end`."""
    depth = 0
    for position in range(end, -1, -1):
        depth += (words[position] in _OPENING.values()) - (words[position] in _OPENING)
        if depth == 0:
            return position
    return end


def _end(words: Sequence[str], begin: int) -> int:
    """Behind the bracket that closes the one at `begin`."""
    depth = 0
    for position in range(begin, len(words)):
        depth += (words[position] in _OPENING) - (words[position] in _OPENING.values())
        if depth == 0:
            return position + 1
    return len(words)
