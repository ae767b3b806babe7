"""Requests to an endpoint, by the standard library: one connection each, and no redirects.

A kept connection saves some milliseconds of a call that takes longer anyway, and may turn out to be
closed when a call that must not be sent twice has just been written to it.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import socket
import ssl
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from assay_client._errors import AssayError
from assay_client._text import one_line, say

LOCAL = "http://127.0.0.1:8787"
ENDPOINT_VARIABLE = "ASSAY_ENDPOINT"
KEY_VARIABLE = "ASSAY_API_KEY"
CONNECT_SECONDS = 10.0
#: Longer than the longest wait for a run or a dataset.
ANSWER_SECONDS = 660.0
#: How long to wait for the permission to send, which something in between may swallow.
CONTINUE_SECONDS = 90.0
KEY_HINT = f" ({KEY_VARIABLE} holds the key, or --key-file names a file with it)"

_MAX_REFUSAL = 64 * 1024
_KEY = re.compile(r"[\x21-\x7e]+")
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_CODES = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    400: "Invalid",
    422: "Invalid",
    413: "TooLarge",
    429: "TooManyRequests",
    502: "Unavailable",
    503: "Unavailable",
    504: "Unavailable",
}

Json = dict[str, Any]


class Endpoint:
    """The address of Assay, and the key for it.

    Args:
        address: an http or https URL; `/mcp` or a slash at its end are ignored.
        key: the API key; None where none is asked for.
        is_local_key: whether the key is that of local mode, which goes only to a server of this
            user, as far as the system reports whose it is.

    Raises:
        AssayError: `Usage`, if the address or the key is malformed.
    """

    def __init__(self, address: str, key: str | None = None, *, is_local_key: bool = False) -> None:
        try:
            parts = urlsplit(address.strip())
            port = parts.port
        except ValueError:
            raise _no_url(address) from None
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or re.search(r"\s", parts.netloc)
        ):
            raise _no_url(address)
        if parts.username is not None or parts.query or parts.fragment:
            raise AssayError(
                "Usage",
                "--endpoint: the URL must have no user, query or fragment; put the key into"
                f" {KEY_VARIABLE} or --key-file",
            )
        if key is not None and not _KEY.fullmatch(key):
            raise AssayError(
                "Usage",
                f"{KEY_VARIABLE} or --key-file: the key has spaces, line ends or letters beyond"
                " ASCII",
            )
        self._tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = port or (443 if self._tls else 80)
        self._path = re.sub(r"/mcp$", "", parts.path.rstrip("/"))
        self._key = key
        self._is_local_key = is_local_key
        self.url = f"{parts.scheme}://{parts.netloc}{self._path}"

    def __repr__(self) -> str:
        """Without the key, which must not be logged."""
        return f"Endpoint({self.url!r})"

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float = ANSWER_SECONDS,
        opened: Callable[[http.client.HTTPConnection], None] | None = None,
    ) -> Reply:
        """Sends a request; returns its response, whatever the status.

        Args:
            method: of HTTP.
            path: below the address, percent-encoded, with the query.
            body: all of it.
            headers: besides the key.
            timeout: seconds that may pass without a byte.
            opened: gets the connection, for whoever may close it.

        Raises:
            AssayError: `Unreachable`, `Tls` or `Disconnected`.
        """
        connection = self._connect()
        try:
            if opened is not None:
                opened(connection)
            _socket(connection).settimeout(timeout)
            connection.request(method, self._path + path, body, self._headers(headers))
            return Reply(self, connection, connection.getresponse(), timeout)
        except (OSError, http.client.HTTPException, ValueError) as e:
            connection.close()
            raise self.broken(e, timeout) from e

    def json(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float = ANSWER_SECONDS,
    ) -> Json:
        """Sends a request of REST with a JSON body, if any; returns the object of its response.

        Raises:
            AssayError: also where the endpoint refuses it.
        """
        data = None if body is None else json.dumps(body).encode()
        own = {} if body is None else {"Content-Type": "application/json"}
        with self.request(method, path, data, {**own, **(headers or {})}, timeout=timeout) as reply:
            return reply.json()

    def upload(
        self,
        path: str,
        chunks: Iterable[bytes],
        length: int,
        headers: Mapping[str, str] | None = None,
    ) -> Json:
        """Sends a body of known length with PUT, once the endpoint asks for it.

        Args:
            path: as for `request`.
            chunks: of the body; what it raises ends the connection before the body is complete.
            length: of all chunks, in bytes.
            headers: besides the key.

        Returns:
            The dataset.

        Raises:
            AssayError: also where the endpoint refuses it, before or while it is sent.
        """
        connection = self._connect()
        try:
            connection.putrequest("PUT", self._path + path)
            for name, value in self._headers(headers).items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(length))
            connection.putheader("Expect", "100-continue")
            connection.endheaders()
            early = self._before_body(connection)
            if early is None:
                _socket(connection).settimeout(ANSWER_SECONDS)
                try:
                    for chunk in chunks:
                        connection.send(chunk)
                except (BrokenPipeError, ConnectionResetError) as e:
                    early = self._refusal_while_sending(connection, e)
            response = early or connection.getresponse()
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise self.broken(e, ANSWER_SECONDS) from e
        except BaseException:
            connection.close()
            raise
        with Reply(self, connection, response, ANSWER_SECONDS) as reply:
            return reply.json()

    def _before_body(
        self, connection: http.client.HTTPConnection
    ) -> http.client.HTTPResponse | None:
        """Waits for the word to send the body; returns the response where there is one already."""
        wire = _socket(connection)
        wire.settimeout(CONTINUE_SECONDS)
        # Byte by byte, as what follows belongs to the next response.
        received = wire.makefile("rb", buffering=0)
        try:
            while (head := _head_of(received)) and head[9:12] != b"100" and head[9:10] == b"1":
                pass  # Others of this kind have no meaning here.
        except BaseException:
            received.close()
            raise
        if not head or head[9:12] == b"100":
            received.close()
            return None
        wire.settimeout(ANSWER_SECONDS)
        return _response_after(head, received)

    def _refusal_while_sending(
        self, connection: http.client.HTTPConnection, failure: OSError
    ) -> http.client.HTTPResponse:
        """The response of an endpoint that refuses the rest; raises the failure without one."""
        wire = _socket(connection)
        wire.settimeout(CONNECT_SECONDS)
        try:
            return _response_after(b"", wire.makefile("rb", buffering=0))
        except (OSError, http.client.HTTPException):
            raise failure from None

    def _connect(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._tls:
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=CONNECT_SECONDS, context=context
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=CONNECT_SECONDS)
        try:
            connection.connect()
        except OSError as e:
            connection.close()
            raise self._unreachable(e) from e
        return connection

    def _headers(self, further: Mapping[str, str] | None) -> dict[str, str]:
        headers = {"Connection": "close", "User-Agent": "assay-client", **(further or {})}
        if self._key is not None and not (self._is_local_key and self._is_of_another_user()):
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _is_of_another_user(self) -> bool:
        """Looks each time: a bridge outlives the server that it began with."""
        if _port_owner(self._port) is not False:
            return False
        say(
            f"another user of this machine serves {self.url}: the key of local mode was not sent"
            + KEY_HINT
        )
        return True

    def _unreachable(self, failure: OSError) -> AssayError:
        if isinstance(failure, socket.gaierror):
            return AssayError(
                "Unreachable",
                f"the host of {self.url} was not found: correct --endpoint or {ENDPOINT_VARIABLE}",
            )
        if isinstance(failure, ssl.SSLError):
            return self._untrusted(failure)
        if isinstance(failure, TimeoutError):
            return AssayError(
                "Unreachable",
                f"{self.url} did not answer within {CONNECT_SECONDS:.0f} s: is the machine"
                " reachable from here?",
            )
        return AssayError(
            "Unreachable",
            f"nothing answers at {self.url}: start it ('assay local'), or name another with"
            f" --endpoint or {ENDPOINT_VARIABLE}",
        )

    def _untrusted(self, failure: ssl.SSLError) -> AssayError:
        if isinstance(failure, ssl.SSLCertVerificationError):
            reason = one_line(failure.verify_message)
            return AssayError(
                "Tls",
                f"the certificate of {self.url} is not trusted ({reason}): the variable"
                " SSL_CERT_FILE can name a file with the certificate of its CA",
            )
        return AssayError(
            "Tls",
            f"no TLS connection to {self.url} ({one_line(str(failure.reason))}): should --endpoint"
            " begin with http:// ?",
        )

    def broken(self, failure: Exception, timeout: float) -> AssayError:
        """The error for a connection that was there and is not any more."""
        if isinstance(failure, TimeoutError):
            return AssayError("Disconnected", f"{self.url} sent nothing for {timeout:.0f} s")
        if isinstance(failure, http.client.HTTPException) and not isinstance(
            failure, (http.client.RemoteDisconnected, http.client.IncompleteRead)
        ):
            return AssayError(
                "NotAssay",
                f"{self.url} does not speak HTTP: correct --endpoint or {ENDPOINT_VARIABLE}",
            )
        return AssayError("Disconnected", f"the connection to {self.url} broke: retry")

    def refusal(self, reply: Reply) -> AssayError:
        """The error for a response without success."""
        status = reply.status
        if 300 <= status < 400:
            to = one_line(reply.header("Location"))[:200]
            return AssayError(
                "NotAssay",
                f"{self.url} redirects to {to!r}, which is not followed as the key would go there:"
                " correct --endpoint",
                status=status,
            )
        try:
            details = json.loads(reply.read(_MAX_REFUSAL))["error"]
            message = details["message"]
        except (ValueError, KeyError, TypeError, RecursionError):
            details = message = None
        if not isinstance(message, str):
            # A load balancer answers so while the endpoint restarts.
            code = _CODES[status] if status in {502, 503, 504} else "NotAssay"
            return AssayError(
                code,
                f"{self.url} answered {status} and is perhaps not Assay: check --endpoint",
                status=status,
            )
        delay = reply.header("Retry-After")
        return AssayError(
            _CODES.get(status, "Refused"),
            message + (KEY_HINT if status == 401 else ""),
            status=status,
            retry_after=float(delay) if delay.isdecimal() else None,
            details=details,
        )


class Reply:
    """A response. Whoever gets it closes it."""

    def __init__(
        self,
        endpoint: Endpoint,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        timeout: float,
    ) -> None:
        self._endpoint = endpoint
        self._connection = connection
        self._response = response
        self._timeout = timeout
        self.status = response.status

    def __enter__(self) -> Reply:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._response.close()
        self._connection.close()

    def header(self, name: str) -> str:
        """A header, or an empty text."""
        return self._response.getheader(name) or ""

    def read(self, limit: int | None = None) -> bytes:
        """The rest of the body, or as much of it as the limit lets through."""
        try:
            return self._response.read() if limit is None else self._response.read(limit)
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise self._endpoint.broken(e, self._timeout) from e

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes. Raises `Disconnected` where it ends too early."""
        try:
            while chunk := self._response.read1(64 * 1024):
                yield chunk
            if self._response.length:
                raise http.client.IncompleteRead(b"", self._response.length)
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise self._endpoint.broken(e, self._timeout) from e

    def lines(self) -> Iterator[bytes]:
        """The lines of the body as they come, without their ends. Raises as `chunks` does.

        That of the response itself takes a body that breaks off for one that ends.
        """
        parts: list[bytes] = []
        for chunk in self.chunks():
            first, *others = chunk.split(b"\n")
            parts.append(first)
            for other in others:
                yield b"".join(parts)
                parts = [other]
        if any(parts):
            yield b"".join(parts)

    def require_success(self) -> Reply:
        """This response, if its status is one of success; raises what the endpoint refused."""
        if not 200 <= self.status < 300:
            raise self._endpoint.refusal(self)
        return self

    def json(self) -> Json:
        """The object in the body; an empty one where there is no body."""
        text = self.require_success().read()
        if not text.strip():
            return {}
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise AssayError(
                "NotAssay",
                f"{self._endpoint.url} sent an answer that is not Assay's: check --endpoint",
                status=self.status,
            )
        return cast(Json, found)


class _Replayed(io.RawIOBase):
    """A socket to read a response from whose beginning has been read."""

    def __init__(self, head: bytes, rest: Any) -> None:
        super().__init__()
        self._head = head
        self._rest = rest

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def close(self) -> None:
        self._rest.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        if self._head:
            count = min(len(into), len(self._head))
            into[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        return cast(int, self._rest.readinto(into))


def _head_of(received: Any) -> bytes:
    """The next response up to its body; nothing if none came in time.

    Whoever asked for permission to send a body need not wait for it for ever.
    """
    head = bytearray()
    try:
        while not head.endswith(b"\r\n\r\n"):
            byte = received.read(1)
            if not byte:
                raise ConnectionResetError("no response")
            head += byte
            if len(head) > _MAX_REFUSAL:
                raise http.client.LineTooLong("header")
    except TimeoutError:
        if head:
            raise
    return bytes(head)


def _response_after(head: bytes, rest: Any) -> http.client.HTTPResponse:
    """The response whose beginning has been read."""
    response = http.client.HTTPResponse(cast(socket.socket, _Replayed(head, rest)), method="PUT")
    try:
        response.begin()
    except (OSError, http.client.HTTPException):
        response.close()
        raise
    return response


def find_endpoint(
    address: str | None = None,
    key: str | None = None,
    key_file: str | os.PathLike[str] | None = None,
) -> Endpoint:
    """The endpoint that arguments name, and otherwise the environment, and otherwise local mode.

    Args:
        address: by default `ASSAY_ENDPOINT`, or that of local mode.
        key: by default that of `key_file`, or `ASSAY_API_KEY`. Where none is given, a loopback
            address gets the key that local mode of this user has created, if there is one.
        key_file: a file that contains the key and nothing else.

    Raises:
        AssayError: `Usage`.
    """
    named = address or _variable(ENDPOINT_VARIABLE) or LOCAL
    if key is None:
        key = _key_of(key_file) if key_file is not None else _variable(KEY_VARIABLE)
    endpoint = Endpoint(named, key)
    if key is None and urlsplit(endpoint.url).scheme == "http" and endpoint._host in _LOOPBACK:
        own = _local_key()
        return endpoint if own is None else Endpoint(named, own, is_local_key=True)
    return endpoint


def encoded(text: str) -> str:
    """A part of a path, percent-encoded."""
    return quote(text, safe="")


def query(parameters: Mapping[str, object]) -> str:
    """Parameters for the end of a path, without those that are None."""
    given = {name: str(value) for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given, quote_via=quote) if given else ""


def _no_url(address: str) -> AssayError:
    return AssayError(
        "Usage",
        f"--endpoint: invalid URL '{one_line(address)}': expected one such as https://assay.example"
        f" or {LOCAL}",
    )


def _socket(connection: http.client.HTTPConnection) -> socket.socket:
    if connection.sock is None:
        raise ConnectionResetError("closed")
    return cast(socket.socket, connection.sock)


def _variable(name: str) -> str | None:
    value = os.environ.get(name, "").strip()
    return value or None


def _key_of(file: str | os.PathLike[str]) -> str:
    try:
        key = Path(file).read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError):
        raise AssayError("Usage", f"--key-file: {file} cannot be read") from None
    if not _KEY.fullmatch(key):
        raise AssayError("Usage", f"--key-file: {file} does not contain one key and nothing else")
    return key


def state_folder() -> Path:
    """Where this user's programs keep what a restart must not lose."""
    named = _variable("XDG_STATE_HOME")
    if named is not None:
        return Path(named) / "assay"
    local = _variable("LOCALAPPDATA") if sys.platform == "win32" else None
    return (Path(local) if local else Path.home() / ".local" / "state") / "assay"


def _local_key() -> str | None:
    file = state_folder() / "api-key"
    try:
        if os.name == "posix" and file.stat().st_mode & 0o177:
            raise AssayError(
                "Usage",
                f"{file} is open to other users: chmod 600 it, and replace the key if they may"
                " know it",
            )
        return file.read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None


def _port_owner(port: int) -> bool | None:
    """Whether this user alone listens on a port of this machine; None where that is unknown."""
    proc = Path("/proc")
    try:
        user = str((proc / "self").stat().st_uid)
        owners: set[str] = set()
        for name in ("tcp", "tcp6"):
            listed = proc / "net" / name
            if not listed.exists():
                continue
            for line in listed.read_text().splitlines():
                fields = line.split()
                if len(fields) > 7 and fields[3] == "0A" and fields[1].endswith(f":{port:04X}"):
                    owners.add(fields[7])
    except (OSError, ValueError):
        return None
    return owners == {user}
