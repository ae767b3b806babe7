"""Takes a JSON object of a request apart, and refuses what is not expected in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from assay_runner.json_text import MAX_JSON_BYTES, JsonTextError, check
from assay_runner.supervisor.refusals import Code, Refusal

MAX_NAME_BYTES = 256

_SHA256 = re.compile(r"[0-9a-f]{64}")

_T = TypeVar("_T")


def malformed(message: str) -> NoReturn:
    """Refuse the request.

    Raises:
        Refusal: Malformed.
    """
    raise Refusal(Code.MALFORMED, message)


class Members:
    """The members of one JSON object, each of which is taken once.

    Every method that takes a member raises `Refusal` (Malformed, naming it) if it is missing, or is
    not what the method returns.

    Args:
        name: of the object, for messages.
        members: its members.
    """

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self._name = name
        self._members = dict(members)

    def has(self, name: str) -> bool:
        """Return whether there is such a member that was not taken."""
        return name in self._members

    def has_value(self, name: str) -> bool:
        """Return whether there is such a member that is not null; takes one that is."""
        if self._members.get(name) is not None:
            return True
        self._members.pop(name, None)
        return False

    def text(self, name: str, max_bytes: int, *, may_be_empty: bool = False) -> str:
        """Take text that can be encoded as UTF-8."""
        value = self._take(name)
        if not isinstance(value, str) or not (value or may_be_empty):
            malformed(f"{name} must be text")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            malformed(f"{name} cannot be encoded as UTF-8")
        if size > max_bytes:
            malformed(f"{name} is over {max_bytes} bytes")
        return value

    def json_text(self, name: str) -> str:
        """Take text that is itself JSON."""
        text = self.text(name, MAX_JSON_BYTES)
        try:
            check(text)
        except JsonTextError as error:
            malformed(f"{name} {error}")
        return text

    def number(self, name: str, minimum: int, maximum: int) -> int:
        """Take a whole number."""
        value = self._take(name)
        if type(value) is not int or not minimum <= value <= maximum:
            malformed(f"{name} must be a whole number from {minimum} to {maximum}")
        return value

    def flag(self, name: str) -> bool:
        """Take true or false."""
        value = self._take(name)
        if not isinstance(value, bool):
            malformed(f"{name} must be true or false")
        return value

    def sha256(self, name: str) -> str:
        """Take a SHA-256."""
        value = self.text(name, 64)
        if not _SHA256.fullmatch(value):
            malformed(f"{name} must be 64 hexadecimal digits in lower case")
        return value

    def one_of(self, name: str, words: tuple[str, ...]) -> str:
        """Take one of several words."""
        value = self.text(name, MAX_NAME_BYTES)
        if value not in words:
            malformed(f"{name} must be one of {', '.join(words)}")
        return value

    def object(self, name: str) -> Members:
        """Take an object."""
        return Members(name, self.any_object(name))

    def objects(self, name: str, maximum: int, parse: Callable[[Members], _T]) -> tuple[_T, ...]:
        """Take a list of objects, each of which `parse` takes apart."""
        value = self._take(name)
        if not isinstance(value, list) or len(value) > maximum:
            malformed(f"{name} must be a list of at most {maximum} objects")
        parsed = []
        for item in value:
            if not isinstance(item, dict):
                malformed(f"{name} must have objects only")
            members = Members(name, item)
            parsed.append(parse(members))
            members.end()
        return tuple(parsed)

    def texts(self, name: str, maximum: int, max_bytes: int) -> tuple[str, ...]:
        """Take a list of texts, no two of which are the same."""
        value = self._take(name)
        if not isinstance(value, list) or len(value) > maximum:
            malformed(f"{name} must be a list of at most {maximum} texts")
        texts = tuple(Members(name, {name: item}).text(name, max_bytes) for item in value)
        if len(set(texts)) < len(texts):
            malformed(f"{name} has a text twice")
        return texts

    def any_object(self, name: str) -> dict[str, Any]:
        """Take an object without looking into it."""
        value = self._take(name)
        if not isinstance(value, dict):
            malformed(f"{name} must be an object")
        return value

    def end(self) -> None:
        """Refuse the request if a member was not taken."""
        for name in self._members:
            malformed(f"{self._name} has an unknown member {name[:64]!r}")

    def _take(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        if name not in self._members:
            malformed(f"{self._name} has no {name}")
        return self._members.pop(name)
