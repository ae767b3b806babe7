"""One HTTP/1.1 connection with limits on size and time, which serves one request at a time."""

from __future__ import annotations

import asyncio
import contextlib

import h11

from assay_runner.supervisor.api import Answer, Api, Later, Stream, has_own_body, received, refused
from assay_runner.supervisor.bodies import Bodies
from assay_runner.supervisor.driver import Driver
from assay_runner.supervisor.events import json_line
from assay_runner.supervisor.held_files import Body
from assay_runner.supervisor.refusals import Code, Refusal

MAX_HEADER_BYTES = 8 * 1024
MAX_BODY_BYTES = 1024 * 1024
# The texts of a job are 512 KiB together, and each character of them may be escaped.
MAX_STAGE_BYTES = 4 * 1024 * 1024
SEND_SECONDS = 60.0
PING_SECONDS = 5.0
DISCARD_SECONDS = 10.0
_READ_BYTES = 64 * 1024
_MAX_DISCARD_BYTES = 4 * 1024 * 1024
_EVENTS_AT_ONCE = 16
_PING = json_line({"type": "ping"})


class HttpConnection:
    """Serves requests of one caller until it disconnects or exceeds a limit.

    Args:
        reader: data from the caller.
        writer: data to the caller.
        api: answers the requests.
        driver: has the events to stream.
        bodies: counts what is held of the bodies of all connections.
        request_seconds: time limit from the end of one answer to the end of the next request's
            body; also limits idle time.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        api: Api,
        driver: Driver,
        bodies: Bodies,
        request_seconds: float,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._api = api
        self._driver = driver
        self._bodies = bodies
        self._held = 0
        self._request_seconds = request_seconds
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADER_BYTES)
        self._head = False
        self.idle = True

    async def serve(self) -> None:
        """Serve the connection until it ends; never raises an error for what a caller does."""
        try:
            while await self._serve_one():
                self._http.start_next_cycle()
        except (OSError, TimeoutError, h11.ProtocolError, EOFError):
            pass
        finally:
            self._release_body()
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()

    async def _serve_one(self) -> bool:
        """Serve one request; returns False if the connection cannot be reused."""
        try:
            async with asyncio.timeout(self._request_seconds):
                self.idle = True
                request = await self._next_event()
                self.idle = False
                if not isinstance(request, h11.Request):
                    return False
                self._head = request.method == b"HEAD"
                _check_head(request)
                method, path = request.method.decode("ascii"), request.target.decode("ascii")
                own_body = has_own_body(method, path)
                body = b"" if own_body else await self._body(request)
            headers = {
                name.decode("ascii"): value.decode("latin-1") for name, value in request.headers
            }
            if own_body:
                return await self._take_body(path, headers)
        except h11.RemoteProtocolError as error:
            too_long = error.error_status_hint == 431
            await self._refuse_and_close(_header_too_large() if too_long else _not_http())
            return False
        except Refusal as refusal:
            await self._refuse_and_close(refusal)
            return False
        answer = self._api.handle(method, path, headers, body)
        self._release_body()
        if isinstance(answer, Later):
            answer = await answer.find()
        if isinstance(answer, Stream):
            await self._send_stream(answer.after_seq)
            return False
        if isinstance(answer, Answer):
            await self._send_answer(answer, last=answer.last)
        else:
            await self._send_files(answer)
        return self._can_go_on()

    def _can_go_on(self) -> bool:
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _body(self, request: h11.Request) -> bytes:
        maximum = MAX_STAGE_BYTES if request.target == b"/v1/stage" else MAX_BODY_BYTES
        for name, value in request.headers:
            if name == b"content-length" and int(value) > maximum:
                raise _too_large(maximum)
        await self._ask_for_body()
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > maximum:
                raise _too_large(maximum)
            self._hold(len(event.data))
        if not isinstance(event, h11.EndOfMessage):
            raise EOFError
        return bytes(body)

    def _hold(self, size: int) -> None:
        self._bodies.hold(size)
        self._held += size

    def _release_body(self) -> None:
        self._bodies.release(self._held)
        self._held = 0

    async def _take_body(self, path: str, headers: dict[str, str]) -> bool:
        """Read a body, no faster than a disk it is written to accepts it, and answer.

        The time limit applies to each piece, since an upload may be large. Returns whether the
        connection can be used again: results of tool calls follow each other, files do not.
        """
        incoming = self._api.begin_body(path, headers)
        try:
            await self._ask_for_body()
            while isinstance(event := await self._next_piece(), h11.Data):
                if incoming.in_memory:
                    self._hold(len(event.data))
                await incoming.write(bytes(event.data))
            answer = received(await incoming.finish(), last=not incoming.in_memory)
        finally:
            incoming.discard()
            self._release_body()
        await self._send_answer(answer, last=answer.last)
        return self._can_go_on()

    async def _next_piece(self) -> h11.Event | None:
        async with asyncio.timeout(self._request_seconds):
            return await self._next_event()

    async def _ask_for_body(self) -> None:
        if self._http.they_are_waiting_for_100_continue:
            await self._send(h11.InformationalResponse(status_code=100, headers=[]))

    async def _next_event(self) -> h11.Event | None:
        """Return the caller's next event, or None if the caller may not send anything now."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_READ_BYTES))
        return event if isinstance(event, h11.Event) else None

    async def _refuse_and_close(self, refusal: Refusal) -> None:
        """Answer, then discard input for a while: closing with unread data may lose the answer."""
        await self._send_answer(refused(refusal), last=True)
        self._writer.write_eof()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DISCARD_SECONDS):
                left = _MAX_DISCARD_BYTES
                while left > 0 and (data := await self._reader.read(_READ_BYTES)):
                    left -= len(data)

    async def _send_answer(self, answer: Answer, *, last: bool) -> None:
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(answer.body)))]
        if last:
            headers.append(("Connection", "close"))
        await self._send(
            h11.Response(status_code=answer.status, headers=headers),
            h11.Data(data=b"" if self._head else answer.body),
            h11.EndOfMessage(),
        )

    async def _send_files(self, body: Body) -> None:
        """Send artifacts; a file that cannot be read to its end cuts the connection.

        Its first bytes are read before the answer begins, so that one that cannot be read at all is
        refused.
        """
        chunks = body.chunks()
        try:
            try:
                first = await anext(chunks, b"")
            except Refusal as refusal:
                await self._send_answer(refused(refusal), last=False)
                return
            length = ("Content-Length", str(body.size))
            headers = [("Content-Type", "application/octet-stream"), length]
            await self._send(h11.Response(status_code=200, headers=headers), h11.Data(data=first))
            try:
                async for data in chunks:
                    await self._send(h11.Data(data=data))
            except Refusal:
                raise EOFError from None
            await self._send(h11.EndOfMessage())
        finally:
            body.close()

    async def _send_stream(self, seq: int) -> None:
        """Send events as they occur, until the result or until the caller disconnects."""
        headers = [
            ("Content-Type", "application/x-ndjson"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "close"),
        ]
        await self._send(h11.Response(status_code=200, headers=headers))
        disconnected = asyncio.create_task(self._reader.read(1))
        try:
            while not disconnected.done():
                events = self._driver.events_after(seq, _EVENTS_AT_ONCE)
                if events:
                    seq = events[-1].seq
                    await self._send(h11.Data(data=b"".join(event.line() for event in events)))
                elif self._driver.ended:
                    await self._send(h11.EndOfMessage())
                    return
                elif not await self._event_or_disconnect(seq, disconnected):
                    await self._send(h11.Data(data=_PING))
        finally:
            disconnected.cancel()

    async def _event_or_disconnect(self, seq: int, disconnected: asyncio.Task[bytes]) -> bool:
        """Wait for an event or a disconnect; returns False if a ping is due."""
        more = asyncio.create_task(self._driver.wait_for_more(seq))
        try:
            done, _ = await asyncio.wait(
                (more, disconnected), timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            more.cancel()
        return bool(done)

    async def _send(self, *events: h11.Event) -> None:
        """Send events in one write, and wait for a slow caller."""
        data = b"".join(self._http.send(event) or b"" for event in events)
        self._writer.write(data)
        async with asyncio.timeout(SEND_SECONDS):
            await self._writer.drain()


def _check_head(request: h11.Request) -> None:
    """Refuse what h11 accepts: other versions, two kinds of length, long header blocks."""
    names = {name for name, _ in request.headers}
    if request.http_version != b"1.1" or {b"content-length", b"transfer-encoding"} <= names:
        raise _not_http()
    # h11 only limits header blocks that have not arrived completely.
    header_bytes = sum(len(name) + len(value) for name, value in request.headers)
    if header_bytes + len(request.target) > MAX_HEADER_BYTES:
        raise _header_too_large()


def _not_http() -> Refusal:
    return Refusal(Code.MALFORMED, "not HTTP/1.1")


def _header_too_large() -> Refusal:
    return Refusal(Code.TOO_LARGE, f"the header block is over {MAX_HEADER_BYTES} bytes")


def _too_large(maximum: int) -> Refusal:
    return Refusal(Code.TOO_LARGE, f"the body is over {maximum} bytes")
