"""MCP on standard input and output, forwarded to the HTTP transport of an endpoint.

Messages are forwarded side by side and as they are, but for line ends. So what a newer client or
endpoint knows passes, and there is no SDK to load or to keep up with.
"""

from __future__ import annotations

import enum
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from assay_client._data import OfferedData, dumped
from assay_client._errors import AssayError
from assay_client._http import ANSWER_SECONDS, Endpoint, Reply
from assay_client._text import say

_PARSE_ERROR = -32700
_INTERNAL_ERROR = -32603
# What may stand in a header, whatever the endpoint has sent.
_VERSION = re.compile(r"[0-9A-Za-z.-]+")
_SESSION = re.compile(r"[\x21-\x7e]+")
# They end a line for some readers, and are no white space of JSON: so they are within texts.
_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
#: Shorter than clients wait between SIGTERM and SIGKILL.
_CANCELLATION_SECONDS = 2.0
#: Longer than a call may take.
_LAST_REPLIES_SECONDS = 660.0

Json = dict[str, Any]


class State(enum.Enum):
    """Who knows of a request."""

    #: Only the bridge.
    HELD = enum.auto()
    #: The endpoint, too.
    SENT = enum.auto()


class Message:
    """A message of the client, or a batch of them.

    Attributes:
        ids: those of its requests as JSON, of which only a batch has several; empty where it
            cannot be cancelled.

    Args:
        line: without its end.

    Raises:
        ValueError: if it is not JSON.
    """

    def __init__(self, line: bytes) -> None:
        self.line = line
        try:
            self.json: Any = json.loads(line)
            self.ids = self._cancellable_ids()
        except RecursionError:
            raise ValueError("nested too deeply") from None

    def is_call(self, method: str) -> bool:
        """Whether it is a call of this method."""
        return isinstance(self.json, dict) and self.json.get("method") == method

    @property
    def is_request(self) -> bool:
        """Whether the client expects a reply; true of a batch, too."""
        return isinstance(self.json, list) or _is_request(self.json)

    @property
    def params(self) -> Json:
        """The parameters, empty where there are none."""
        found = self.json.get("params") if isinstance(self.json, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def tool(self) -> str:
        """The name of the tool that it calls."""
        return str(self.params.get("name", ""))

    @property
    def arguments(self) -> Json:
        """The arguments of the tool that it calls, empty where there are none."""
        found = self.params.get("arguments")
        return found if isinstance(found, dict) else {}

    def _cancellable_ids(self) -> list[str]:
        if self.is_call("initialize"):
            return []
        messages = self.json if isinstance(self.json, list) else [self.json]
        return [json.dumps(one["id"]) for one in messages if _is_request(one)]

    def is_answered_by(self, message: Any) -> bool:
        """Whether a message is the reply to this one."""
        if not isinstance(self.json, dict) or not isinstance(message, dict):
            return False
        return "method" not in message and _same(message.get("id"), self.json.get("id"))

    def error(self, error: Json) -> str:
        """The reply that reports an error."""
        id_ = self.json.get("id") if isinstance(self.json, dict) else None
        return dumped({"jsonrpc": "2.0", "id": id_, "error": error})

    def tool_error(self, text: str) -> str:
        """The result of a tool that could not be called."""
        result = {"content": [{"type": "text", "text": text}], "isError": True}
        return dumped({"jsonrpc": "2.0", "id": self.json.get("id"), "result": result})


class Bridge:
    """Forwards messages, one a line, and writes replies and notifications.

    Args:
        endpoint: of Assay.
        out: gets MCP messages and nothing else, unbuffered.
        data: the tables of a folder that the client is offered.
    """

    def __init__(self, endpoint: Endpoint, out: BinaryIO, data: OfferedData | None = None) -> None:
        self._endpoint = endpoint
        self._out = out
        self._data = data
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._pending: dict[str, State] = {}
        self._closed = False
        self._threads: set[threading.Thread] = set()
        self._session: str | None = None
        self._version: str | None = None

    def run(self, lines: Iterator[bytes], is_client_gone: Callable[[], bool]) -> None:
        """Runs, once, until the input has ended and all replies are written.

        Args:
            lines: of the client.
            is_client_gone: whether nobody reads replies any more; asked after the end of the input.
        """
        try:
            for line in lines:
                if line.strip():
                    self._take(line.strip(b"\r\n"))
                if self._closed:
                    return
            end = time.monotonic() + _LAST_REPLIES_SECONDS
            while self._threads and time.monotonic() < end and not is_client_gone():
                for thread in list(self._threads):
                    thread.join(0.2)
                    break
        finally:
            self.cancel_pending()

    def cancel_pending(self) -> None:
        """Cancels the requests that are not answered yet, and sends no more.

        The endpoint does not take a lost connection for a cancellation. Returns soon, even if the
        endpoint does not answer.
        """
        with self._lock:
            self._closed = True
            sent = [id_ for id_, state in self._pending.items() if state is State.SENT]
            self._pending.clear()
        cancelling = []
        done: list[str] = []

        def cancel(id_: str) -> None:
            params = {"requestId": json.loads(id_), "reason": "the client is gone"}
            line = dumped(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            ).encode()
            with suppress(AssayError), self._post(line, _CANCELLATION_SECONDS) as reply:
                reply.require_success()
                done.append(id_)

        for id_ in sent:
            thread = threading.Thread(target=cancel, args=(id_,), daemon=True)
            thread.start()
            cancelling.append(thread)
        end = time.monotonic() + _CANCELLATION_SECONDS
        for thread in cancelling:
            thread.join(max(0.0, end - time.monotonic()))
        if len(done) < len(sent):
            say("calls in progress may not have been cancelled: list_runs shows it")

    def _take(self, line: bytes) -> None:
        try:
            message = Message(line)
        except ValueError:
            self._write(
                dumped(
                    {
                        "jsonrpc": "2.0",
                        "id": None,
                        "error": {"code": _PARSE_ERROR, "message": "malformed JSON"},
                    }
                )
            )
            return
        with self._lock:
            # Before the next line is read, which may cancel it.
            self._pending.update((id_, State.HELD) for id_ in message.ids)
        if message.is_call("initialize"):
            # Later messages carry the session and the version of its reply.
            self._pass(message)
        elif self._is_of_use(message):
            thread = threading.Thread(target=self._pass_on, args=(message,), daemon=True)
            self._threads.add(thread)
            thread.start()

    def _is_of_use(self, message: Message) -> bool:
        """A cancellation is of none if the endpoint never had the request, or has answered it."""
        if not message.is_call("notifications/cancelled"):
            return True
        with self._lock:
            return (
                self._pending.pop(json.dumps(message.params.get("requestId")), None) is State.SENT
            )

    def _pass_on(self, message: Message) -> None:
        try:
            self._pass(message)
        finally:
            self._threads.discard(threading.current_thread())

    def _pass(self, message: Message) -> None:
        try:
            remarks = self._prepare(message)
            if self._begin(message):
                self._send(message, remarks)
        except AssayError as e:
            self._fail(message, self._explained(message, e))
        except OSError:
            with self._lock:
                self._closed = True  # Nobody reads standard output any more.
        except Exception as e:  # What comes from the endpoint or the client may have any type.
            self._fail(message, f"an error in assay-client itself ({type(e).__name__}: {e})")
        finally:
            with self._lock:
                for id_ in message.ids:
                    self._pending.pop(id_, None)

    def _prepare(self, message: Message) -> list[str]:
        """Uploads what a call names; answers the call itself where that fails.

        Returns:
            What the agent is to read besides the reply.
        """
        if self._data is None or not message.is_call("tools/call"):
            return []
        token = _progress_token(message)
        begin = time.monotonic()

        def progress(text: str) -> None:
            if token is not None and self._is_awaited(message):
                # Below what the endpoint reports of the call afterwards: its seconds.
                reached = 1e-6 * (time.monotonic() - begin)
                params = {"progressToken": token, "progress": reached, "message": text}
                self._write(
                    dumped({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
                )

        try:
            return self._data.prepare(
                message.tool,
                message.arguments,
                progress,
                lambda: not self._is_awaited(message),
            )
        except AssayError as e:
            if e.code != "Cancelled":
                say(str(e))
            self._reply(message, message.tool_error(f"EXECUTION ERROR: {e}"))
            return []

    def _begin(self, message: Message) -> bool:
        """Whether a message is still to be sent; from then on a cancellation is forwarded."""
        ids = message.ids
        with self._lock:
            wanted = [id_ for id_ in ids if id_ in self._pending]
            self._pending.update((id_, State.SENT) for id_ in wanted)
            return not self._closed and (bool(wanted) or not ids)

    def _send(self, message: Message, remarks: list[str]) -> None:
        with self._post(message.line, ANSWER_SECONDS) as reply:
            if reply.status >= 300:
                self._refuse(message, reply)
                return
            if message.is_call("initialize"):
                session = reply.header("Mcp-Session-Id")
                self._session = session if _SESSION.fullmatch(session) else None
            answered = False
            for text in _messages(reply):
                answered = self._relay(message, text, remarks) or answered
            if not answered and message.is_request and not isinstance(message.json, list):
                self._fail(message, f"{self._endpoint.url} sent no reply")

    def _post(self, line: bytes, timeout: float) -> Reply:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self._version is not None:
            headers["MCP-Protocol-Version"] = self._version
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        return self._endpoint.request("POST", "/mcp", line, headers, timeout=timeout)

    def _relay(self, message: Message, text: str, remarks: list[str]) -> bool:
        """Writes a message of the endpoint; returns whether it is the reply."""
        try:
            received = json.loads(text)
        except (ValueError, RecursionError):
            say(f"{self._endpoint.url} sent malformed JSON")
            return False
        # Outside of texts a line end is white space, and in texts there is none.
        line = text.replace("\r", " ").replace("\n", " ").strip()
        line = _LINE_ENDS.sub(lambda found: f"\\u{ord(found.group()):04x}", line)
        if not message.is_answered_by(received):
            if self._is_awaited(message):
                self._write(line)
            return isinstance(message.json, list)
        result = received.get("result")
        if message.is_call("initialize") and isinstance(result, dict):
            self._check_version(message, result.get("protocolVersion"))
        if self._data is not None and isinstance(result, dict) and message.is_call("tools/call"):
            changed = self._data.replied(message.tool, message.arguments, result, remarks)
            if changed is not result:
                line = dumped({**received, "result": changed})
        self._reply(message, line)
        return True

    def _check_version(self, message: Message, version: object) -> None:
        is_valid = isinstance(version, str) and _VERSION.fullmatch(version) is not None
        self._version = str(version) if is_valid else None
        wanted = message.params.get("protocolVersion")
        if version != wanted:
            say(
                f"the client asked for MCP {wanted}, and {self._endpoint.url} speaks {version}: the"
                " client ends the session if it does not know that version"
            )

    def _refuse(self, message: Message, reply: Reply) -> None:
        """Forwards the error of the endpoint."""
        error = self._endpoint.refusal(reply)
        if error.code == "NotAssay":
            self._fail(message, str(error))
            return
        say(f"{self._endpoint.url} answered {reply.status}: {error}")
        self._reply(message, message.error({**error.details, "message": str(error)}))

    def _explained(self, message: Message, error: AssayError) -> str:
        if error.code == "Disconnected" and message.is_call("tools/call"):
            return f"{error}; the call may have been carried out: list_runs shows it"
        return str(error)

    def _fail(self, message: Message, why: str) -> None:
        """A request gets a reply in any case, unless it was cancelled; a notification gets none."""
        if self._is_awaited(message):
            say(why)
        self._reply(message, message.error({"code": _INTERNAL_ERROR, "message": why}))

    def _reply(self, message: Message, line: str) -> None:
        """Writes the reply to a request, unless it was cancelled: then no reply is expected."""
        ids = message.ids
        with self._lock:
            states = [self._pending.pop(id_, None) for id_ in ids]
            was_awaited = not ids or any(states)
        if message.is_request and was_awaited:
            with suppress(OSError):
                self._write(line)

    def _is_awaited(self, message: Message) -> bool:
        ids = message.ids
        with self._lock:
            return not ids or any(id_ in self._pending for id_ in ids)

    def _write(self, line: str) -> None:
        left = memoryview((line + "\n").encode("utf-8", "replace"))
        with self._writing:
            while left:
                left = left[self._out.write(left) or 0 :]


def _messages(reply: Reply) -> Iterator[str]:
    """The messages of a response: one of JSON, or those of server-sent events."""
    if not reply.header("Content-Type").startswith("text/event-stream"):
        text = reply.read().decode("utf-8", "replace")
        if text.strip():
            yield text
        return
    yield from reply.events()


def _is_request(message: Any) -> bool:
    return isinstance(message, dict) and "method" in message and "id" in message


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _progress_token(message: Message) -> str | int | None:
    meta = message.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, (str, int)) else None


def parent_watch() -> Callable[[], bool]:
    """Asks whether the process that started this one has ended, where the system reports that."""
    parent = os.getppid()
    return lambda: os.getppid() != parent


__all__ = ["Bridge", "Message", "State", "parent_watch"]
