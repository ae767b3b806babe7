"""What a runner makes of callers that do not keep to HTTP, or keep it waiting."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable
from http.client import HTTPConnection

import pytest

from messages import Messages
from runner_client import RunnerClient, python_job

MESSAGES = Messages()
MAX_CONNECTIONS = 32
PATIENCE_SECONDS = 30.0

HELLO = b"GET /v1/hello HTTP/1.1\r\nHost: x\r\n"
STAGE = b"POST /v1/stage HTTP/1.1\r\nHost: x\r\n"
CHUNKED = STAGE + b"Transfer-Encoding: chunked\r\n\r\n"


def dial(client: RunnerClient) -> socket.socket:
    address = (client.target.host, client.target.port)
    return socket.create_connection(address, timeout=PATIENCE_SECONDS)


def read_to_end(connection: socket.socket) -> bytes:
    answer = bytearray()
    with contextlib.suppress(ConnectionResetError):
        while data := connection.recv(65536):
            answer += data
    return bytes(answer)


@pytest.mark.parametrize(
    "frame",
    [
        b"\x16\x03\x01 nonsense\r\n\r\n",
        b"GET /v1/hello\r\n\r\n",
        b"GET /v1/hello HTTP/1.0\r\n\r\n",
        b"GET /v1/hello HTTP/1.1\r\n\r\n",
        b"GET /v1/hello HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET /v1/hello there HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/hel\xfflo HTTP/1.1\r\nHost: x\r\n\r\n",
        b"G\xc9T /v1/hello HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        HELLO + b"Host: x\r\n\r\n",
        HELLO + b"no colon\r\n\r\n",
        HELLO + b"na me: x\r\n\r\n",
        HELLO + b"name : x\r\n\r\n",
        HELLO + b"name: a\0b\r\n\r\n",
        HELLO + b"name: a\rb\r\n\r\n",
        HELLO + b"name: x",
        STAGE + b"Content-Length: -1\r\n\r\n",
        STAGE + b"Content-Length: +2\r\n\r\n{}",
        STAGE + b"Content-Length: 0x2\r\n\r\n{}",
        STAGE + b"Content-Length: 2, 3\r\n\r\n{}",
        STAGE + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        STAGE + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
        STAGE + b"Content-Length: 20\r\n\r\n{}",
        STAGE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        STAGE + b"Transfer-Encoding: gzip\r\n\r\n{}",
        STAGE + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        CHUNKED + b"zz\r\n\r\n",
        CHUNKED + b"-1\r\n\r\n",
        CHUNKED + b"F" * 30 + b"\r\n\r\n",
        CHUNKED + b"2\r\nabcd\r\n0\r\n\r\n",
        CHUNKED + b"2\r\n{}\r\n",
    ],
)
def test_what_is_not_http_is_refused_and_does_no_harm(idle: RunnerClient, frame: bytes) -> None:
    with dial(idle) as connection:
        connection.sendall(frame)
        connection.shutdown(socket.SHUT_WR)
        answer = read_to_end(connection)
    if answer:
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400")
        MESSAGES.check_answer("stage", 400, json.loads(body))
    assert idle.hello()["state"] == "Idle"


def test_an_answer_to_head_has_no_body(idle: RunnerClient) -> None:
    connection = idle.connect()
    connection.request("HEAD", "/v1/hello")
    assert connection.getresponse().status == 405
    connection.close()


def test_one_connection_serves_many_requests(idle: RunnerClient) -> None:
    connection = idle.connect()
    for _ in range(3):
        say_hello(connection)
    connection.close()


@pytest.mark.parametrize("beginning", [b"GET /v1/hello HTTP/1.1\r\nX: ", CHUNKED])
def test_a_caller_that_never_ends_its_request_is_cut_off(
    impatient: tuple[RunnerClient, float], beginning: bytes
) -> None:
    client, request_seconds = impatient
    with dial(client) as connection:
        connection.sendall(beginning)
        end = time.monotonic() + request_seconds + PATIENCE_SECONDS
        while not is_closed(connection, wait_seconds=0.02):
            assert time.monotonic() < end
            trickle(connection, b"1\r\nx\r\n" if beginning is CHUNKED else b"x")
    assert client.hello()["state"] == "Idle"


def is_closed(connection: socket.socket, *, wait_seconds: float) -> bool:
    readable, _, _ = select.select([connection], [], [], wait_seconds)
    if not readable:
        return False
    try:
        return connection.recv(1024) == b""
    except ConnectionResetError:
        return True


def trickle(connection: socket.socket, data: bytes) -> None:
    # Where it was closed just now, the next look tells.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(data)


def test_more_connections_than_allowed_are_closed(unstarted: RunnerClient) -> None:
    held = [unstarted.connect() for _ in range(MAX_CONNECTIONS)]
    for connection in held:
        say_hello(connection)
    late = unstarted.connect()
    with pytest.raises(OSError):  # noqa: PT011 - closed in one of several ways
        say_hello(late)
    held.pop().close()
    wait_until(lambda: answers(unstarted))
    for connection in held:
        connection.close()


def say_hello(connection: HTTPConnection) -> None:
    connection.request("GET", "/v1/hello")
    assert connection.getresponse().read().startswith(b"{")


def answers(client: RunnerClient) -> bool:
    try:
        client.hello()
    except OSError:
        return False
    return True


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


MEGABYTES = 6
PRINT_MUCH = f"for i in range({MEGABYTES} * 1024): print('%01023d' % i)"


def test_a_caller_that_does_not_read_neither_stalls_the_code_nor_loses_its_output(
    fresh: RunnerClient,
) -> None:
    fresh.stage(python_job(PRINT_MUCH, outputBytes=MEGABYTES * 2**20))
    unread = fresh.connect()
    unread.sock = socket.socket()
    unread.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    unread.sock.settimeout(PATIENCE_SECONDS)
    unread.sock.connect((fresh.target.host, fresh.target.port))
    stream = fresh.start(unread)
    wait_until(lambda: bool(fresh.hello()["state"] == "Finished"))
    whole = "".join(f"{i:01023d}\n" for i in range(MEGABYTES * 1024)).encode()
    everything = fresh.attach(0)
    assert (everything.outcome, everything.output) == ("Succeeded", whole)
    assert stream.finish().output == whole
