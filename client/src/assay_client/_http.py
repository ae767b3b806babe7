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
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from assay_client._errors import AssayError
from assay_client._text import one_line, say, size

LOCAL = "http://127.0.0.1:8787"
ENDPOINT_VARIABLE = "ASSAY_ENDPOINT"
KEY_VARIABLE = "ASSAY_API_KEY"
CONNECT_SECONDS = 10.0
#: Longer than the longest wait for a run or a dataset.
ANSWER_SECONDS = 660.0
#: How long to wait for the permission to send, which something in between may swallow.
CONTINUE_SECONDS = 90.0
KEY_HINT = f" ({KEY_VARIABLE} holds the key, or --key-file names a file with it)"

#: Of a response that is read as a whole, a line, an event or the output of a run. Nothing that
#: Assay sends so is near to it; without it an endpoint could fill the memory of this machine.
MAX_BYTES = 64 * 1024 * 1024
_MAX_REFUSAL = 64 * 1024
#: Responses before the real one, which mean that it takes longer.
_MAX_INTERIM = 10
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
            Without TLS a loopback address gets it only if this user or root serves there, as
            far as the system reports it.
        named_by: the option or variable that has the address.

    Raises:
        AssayError: `Usage` or `Environment`, if the address or the key is malformed.
    """

    def __init__(
        self, address: str, key: str | None = None, *, named_by: str = "--endpoint"
    ) -> None:
        try:
            parts = urlsplit(address.strip())
            port = parts.port
        except ValueError:
            raise _no_url(address, named_by) from None
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or re.search(r"\s", parts.netloc)
        ):
            raise _no_url(address, named_by)
        if parts.username is not None or parts.query or parts.fragment:
            raise _invalid(
                named_by,
                "the URL must have no user, query or fragment; put the key into"
                f" {KEY_VARIABLE} or --key-file",
            )
        if key is not None and not _KEY.fullmatch(key):
            raise _invalid(KEY_VARIABLE, "the key has spaces, line ends or letters beyond ASCII")
        self._tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = port or (443 if self._tls else 80)
        self._path = re.sub(r"/mcp$", "", parts.path.rstrip("/"))
        self._key = key
        self.url = f"{parts.scheme}://{parts.netloc}{self._path}"
        self._is_loopback = self._host in _LOOPBACK

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
    ) -> Reply:
        """Sends a request; returns its response, whatever the status.

        Args:
            method: of HTTP.
            path: below the address, percent-encoded, with the query.
            body: all of it.
            headers: besides the key.
            timeout: seconds until the response begins, and then without a byte.

        Raises:
            AssayError: `Unreachable`, `Tls` or `Disconnected`.
        """
        connection = self._connect()
        try:
            _socket(connection).settimeout(timeout)
            connection.request(method, self._path + path, body, self._headers(headers))
            return Reply(self, connection, _response(connection, timeout), timeout)
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
            response = early or _response(connection, ANSWER_SECONDS)
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
        try:
            return _response(connection, CONTINUE_SECONDS, until_continue=True)
        except _SendBodyError:
            return None

    def _refusal_while_sending(
        self, connection: http.client.HTTPConnection, failure: OSError
    ) -> http.client.HTTPResponse:
        """The response of an endpoint that refuses the rest; raises the failure without one."""
        try:
            return _response(connection, CONNECT_SECONDS)
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
        except (OSError, UnicodeError) as e:
            connection.close()
            raise self._unreachable(e) from e
        return connection

    def _headers(self, further: Mapping[str, str] | None) -> dict[str, str]:
        headers = {"Connection": "close", "User-Agent": "assay-client", **(further or {})}
        if self._key is not None and not self._is_of_another_user():
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _is_of_another_user(self) -> bool:
        """Looks each time: a bridge outlives the server that it began with."""
        if self._tls or not self._is_loopback or _port_owner(self._port) is not False:
            return False
        say(
            f"another user of this machine serves {self.url}: the key was not sent; use https, or"
            " correct --endpoint"
        )
        return True

    def _unreachable(self, failure: OSError | UnicodeError) -> AssayError:
        # Parts of a name that are too long are found out before it is looked up.
        if isinstance(failure, (socket.gaierror, UnicodeError)):
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
        start = "start it ('assay local')" if self._is_loopback else "check that it is running"
        return AssayError(
            "Unreachable",
            f"nothing answers at {self.url}: {start}, or name another with --endpoint or"
            f" {ENDPOINT_VARIABLE}",
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

    def too_long(self, limit: int) -> AssayError:
        """The error for a response that is not read to its end."""
        return AssayError("NotAssay", f"{self.url} sent more than {size(limit)} where less is due")

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
        except AssayError as e:
            if e.code != "NotAssay":
                raise
            details = message = None
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
        """The body. Raises `NotAssay` if it has more bytes than the limit, or `MAX_BYTES`."""
        limit = MAX_BYTES if limit is None else limit
        body = bytearray()
        for chunk in self.chunks():
            body += chunk
            if len(body) > limit:
                raise self._endpoint.too_long(limit)
        return bytes(body)

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
        """The lines of the body as they come, without their ends. Raises as `read` does.

        That of the response itself takes a body that breaks off for one that ends.
        """
        line = bytearray()
        for chunk in self.chunks():
            first, *others = chunk.split(b"\n")
            line += first
            if len(line) > MAX_BYTES:
                raise self._endpoint.too_long(MAX_BYTES)
            for other in others:
                yield bytes(line)
                line[:] = other
        if line:
            yield bytes(line)

    def events(self) -> Iterator[str]:
        """The data of server-sent events. Raises as `read` does."""
        data: list[str] = []
        length = 0
        for line in self.lines():
            text = line.decode("utf-8", "replace").rstrip("\r")
            if text.startswith("data:"):
                data.append(text[5:].lstrip())
                length += len(line)
                if length > MAX_BYTES:
                    raise self._endpoint.too_long(MAX_BYTES)
            elif not text and data:
                yield "\n".join(data)
                data, length = [], 0
        if data:
            yield "\n".join(data)

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


class _SendBodyError(Exception):
    """The body is to be sent: the endpoint asks for it, or something in between swallowed that."""


def _response(
    connection: http.client.HTTPConnection, seconds: float, *, until_continue: bool = False
) -> http.client.HTTPResponse:
    """The response, once its head is there. What reads it in the library has no such limits.

    Args:
        connection: on which the request was sent.
        seconds: until the head is complete, and then those that may pass without a byte.
        until_continue: whether the word to send the body is waited for, too.
    """
    wire = _socket(connection)
    end = time.monotonic() + seconds
    # Byte by byte, as what follows may belong to the next response.
    received = wire.makefile("rb", buffering=0)
    try:
        for _ in range(_MAX_INTERIM):
            head = _head_of(received, wire, end)
            if until_continue and (not head or head[9:12] == b"100"):
                raise _SendBodyError
            if not head:
                raise TimeoutError
            if head[9:10] != b"1":
                wire.settimeout(ANSWER_SECONDS if until_continue else seconds)
                return _response_after(head, received)
        raise http.client.BadStatusLine("1xx")
    except BaseException:
        received.close()
        raise


def _head_of(received: Any, wire: socket.socket, end: float) -> bytes:
    """The next response up to its body; nothing if none began in time."""
    head = bytearray()
    try:
        while not head.endswith((b"\r\n\r\n", b"\n\n")):
            wire.settimeout(max(0.001, end - time.monotonic()))
            byte = received.read(1)
            if not byte:
                raise http.client.RemoteDisconnected("no response")
            head += byte
            if not head.startswith(b"HTTP/"[: len(head)]):
                raise http.client.BadStatusLine(repr(bytes(head)))
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

    A key that would be readable on its way is reported on standard error.

    Args:
        address: by default `ASSAY_ENDPOINT`, or that of local mode.
        key: by default that of `key_file`, or `ASSAY_API_KEY`. Where none is given, a loopback
            address gets the key that local mode of this user has created, if there is one.
        key_file: a file that contains the key and nothing else.

    Raises:
        AssayError: `Usage` or `Environment`.
    """
    named = address or _variable(ENDPOINT_VARIABLE) or LOCAL
    named_by = "--endpoint" if address else ENDPOINT_VARIABLE
    if key is None:
        key = _key_of(key_file) if key_file is not None else _variable(KEY_VARIABLE)
    endpoint = Endpoint(named, key, named_by=named_by)
    if endpoint._tls:
        return endpoint
    if endpoint._is_loopback:
        return endpoint if key else Endpoint(named, _local_key(), named_by=named_by)
    if key is not None:
        _warn_of_plain_text(endpoint.url)
    return endpoint


@lru_cache
def _warn_of_plain_text(url: str) -> None:
    """Once: inside of a cluster, or through a tunnel, it is what was wanted."""
    say(f"{url} has no TLS: whoever is on the way can read the key and the data; use https")


def encoded(text: str) -> str:
    """A part of a path, percent-encoded."""
    return quote(text, safe="")


def query(parameters: Mapping[str, object]) -> str:
    """Parameters for the end of a path, without those that are None."""
    given = {name: str(value) for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given, quote_via=quote) if given else ""


def _invalid(named_by: str, why: str) -> AssayError:
    """The error for a malformed option or variable."""
    is_option = named_by.startswith("--")
    return AssayError("Usage" if is_option else "Environment", f"{named_by}: {why}")


def _no_url(address: str, named_by: str) -> AssayError:
    # What is before an @ may be a password.
    shown = re.sub(r"^(\w+://)?.*@", r"\1***@", one_line(address))
    return _invalid(
        named_by, f"invalid URL '{shown}': expected one such as https://assay.example or {LOCAL}"
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
        raise _invalid("--key-file", f"{file} cannot be read") from None
    if not _KEY.fullmatch(key):
        raise _invalid("--key-file", f"{file} does not contain one key and nothing else")
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
                "Environment",
                f"{file} is open to other users: chmod 600 it, and replace the key if they may"
                " know it",
            )
        return file.read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None


def _port_owner(port: int) -> bool | None:
    """Whether only this user and root, who may read its key anyway, listen on a port.

    None where that is unknown.
    """
    proc = Path("/proc")
    try:
        trusted = {str((proc / "self").stat().st_uid), "0"}
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
    return owners <= trusted if owners else None
