from __future__ import annotations

import datetime
import json
import os
import socket
import ssl
import threading
from pathlib import Path

import pytest

from assay_client import _http
from assay_client._errors import AssayError
from assay_client._http import Endpoint, find_endpoint
from fake_assay import SECONDS, FakeAssay, Request, serving


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("http://127.0.0.1:8787", "http://127.0.0.1:8787"),
        ("https://assay.example/mcp", "https://assay.example"),
        (" https://assay.example/team/mcp/ ", "https://assay.example/team"),
        ("http://[::1]:1/", "http://[::1]:1"),
    ],
)
def test_addresses_are_read_as_people_write_them(address: str, url: str) -> None:
    assert Endpoint(address).url == url


@pytest.mark.parametrize(
    "address", ["", "assay", "ftp://x", "http://", "http://a b", "http://x:port", "//x"]
)
def test_what_is_no_url_is_named_with_its_option(address: str) -> None:
    with pytest.raises(AssayError, match="--endpoint: invalid URL"):
        Endpoint(address)


@pytest.mark.parametrize(
    "address",
    ["http://user:s3cret@x:port", "user:s3cret@x", "https:/s3cret@x", "http://u:a/s3cret@b@x"],
)
def test_a_password_in_a_malformed_url_is_not_shown(address: str) -> None:
    with pytest.raises(AssayError, match=r"invalid URL '(http://)?\*\*\*@x(:port)?'") as caught:
        Endpoint(address)
    assert "s3cret" not in str(caught.value)


def test_a_malformed_variable_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ENDPOINT", "ftp://x")
    with pytest.raises(AssayError, match="ASSAY_ENDPOINT: invalid URL") as caught:
        find_endpoint()
    assert caught.value.code == "Environment"
    with pytest.raises(AssayError, match="--endpoint: invalid URL") as caught:
        find_endpoint("ftp://x")
    assert caught.value.code == "Usage"
    monkeypatch.setenv("ASSAY_API_KEY", "a b")
    with pytest.raises(AssayError, match="ASSAY_API_KEY: the key has spaces") as caught:
        find_endpoint("http://x")
    assert caught.value.code == "Environment"


def test_a_key_that_can_be_read_on_its_way_is_reported_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    for address in ("http://127.0.0.1:1", "http://localhost:1", "https://once.example"):
        find_endpoint(address, "key")
    find_endpoint("http://once.example")
    assert capfd.readouterr().err == ""
    for _ in range(2):
        find_endpoint("http://once.example", "key")
    assert capfd.readouterr().err == (
        "assay-client: http://once.example has no TLS: whoever is on the way can read the key and"
        " the data; use https\n"
    )


def test_a_key_does_not_go_into_the_url() -> None:
    with pytest.raises(AssayError, match="put the key into ASSAY_API_KEY or --key-file"):
        Endpoint("https://key:secret@assay.example")


@pytest.mark.parametrize("key", ["a b", "a\r\nHost: evil", "ä", "", "\x00"])
def test_a_key_that_no_header_can_have_is_refused(key: str) -> None:
    with pytest.raises(AssayError, match="the key has spaces"):
        Endpoint("http://x", key)


def test_the_key_is_in_the_request_and_not_in_the_text_of_the_endpoint(fake: FakeAssay) -> None:
    endpoint = Endpoint(fake.url, "s3cret")
    endpoint.json("GET", "/api/v1/datasets")
    assert fake.requests[0].headers["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in repr(endpoint)


def test_options_take_precedence_over_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_ENDPOINT", "http://variable")
    monkeypatch.setenv("ASSAY_API_KEY", "variable")
    (tmp_path / "key").write_text("\ufefffile\r\n", encoding="utf-8")
    assert (find_endpoint().url, find_endpoint()._key) == ("http://variable", "variable")
    assert find_endpoint("http://option").url == "http://option"
    assert find_endpoint(key_file=tmp_path / "key")._key == "file"
    assert find_endpoint(key="own")._key == "own"


def test_a_key_file_that_is_missing_or_has_more_than_a_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"--key-file: .*nowhere cannot be read"):
        find_endpoint(key_file=tmp_path / "nowhere")
    (tmp_path / "two").write_text("one\ntwo\n")
    with pytest.raises(AssayError, match="does not contain one key and nothing else"):
        find_endpoint(key_file=tmp_path / "two")


def local_key(text: str = "local-key\n") -> Path:
    file = _http.state_folder() / "api-key"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    file.chmod(0o600)
    return file


def test_the_key_of_local_mode_goes_to_loopback_addresses_only(fake: FakeAssay) -> None:
    local_key()
    find_endpoint(fake.url).json("GET", "/api/v1/datasets")
    assert fake.requests[0].headers["Authorization"] == "Bearer local-key"
    assert find_endpoint("http://assay.example")._key is None
    assert find_endpoint("https://127.0.0.1")._key is None


@pytest.mark.parametrize("key", [None, "of-another-endpoint"])
def test_no_key_goes_to_another_user_of_this_machine(
    fake: FakeAssay,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    key: str | None,
) -> None:
    local_key()
    monkeypatch.setattr(_http, "_port_owner", lambda port: False)
    find_endpoint(fake.url, key).json("GET", "/api/v1/datasets")
    assert fake.requests[0].headers["Authorization"] is None
    assert "another user of this machine serves" in capfd.readouterr().err


def test_the_owner_of_a_port_is_this_user_or_unknown(fake: FakeAssay) -> None:
    assert _http._port_owner(fake.server.server_port) is not False


@pytest.mark.parametrize(
    ("owners", "expected"),
    [([], None), (["self"], True), (["self", 0], True), ([12345], False), (["self", 12345], False)],
)
def test_a_port_is_trusted_of_this_user_and_of_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owners: list[object], expected: bool | None
) -> None:
    (tmp_path / "self").touch()
    (tmp_path / "net").mkdir()
    user = (tmp_path / "self").stat().st_uid
    lines = [
        f"0: 0100007F:2253 00000000:0000 0A 0:0 0:0 0 {user if owner == 'self' else owner} 0 1"
        for owner in owners
    ]
    other = "1: 0100007F:2254 00000000:0000 0A 0:0 0:0 0 54321 0 1"
    (tmp_path / "net" / "tcp").write_text("\n".join(["sl local", other, *lines]))
    monkeypatch.setattr(_http, "Path", lambda name: tmp_path)
    assert _http._port_owner(0x2253) is expected


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such permissions")
def test_a_local_key_that_others_can_read_is_not_used() -> None:
    local_key().chmod(0o644)
    with pytest.raises(AssayError, match="is open to other users: chmod 600 it"):
        find_endpoint()


def test_a_redirect_is_not_followed_so_that_the_key_goes_nowhere_else(fake: FakeAssay) -> None:
    with serving() as other:
        for status in (301, 302, 307, 308):
            fake.routes.clear()
            fake.on("GET", "/", lambda r, s=status: r.answer(s, {}, Location=other.url + "/x"))
            with pytest.raises(AssayError, match=r"redirects to .* not followed") as caught:
                Endpoint(fake.url, "key").json("GET", "/api/v1/datasets")
            assert caught.value.code == "NotAssay"
        assert other.requests == []


def test_an_upload_follows_no_redirect_either(fake: FakeAssay) -> None:
    with serving() as other:
        fake.before_upload = lambda r: r.answer(307, {}, Location=other.url) is None
        with pytest.raises(AssayError, match="not followed"):
            Endpoint(fake.url, "key").upload("/api/v1/datasets/a", [b"x"], 1)
        assert other.requests == []


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "Invalid"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (409, "Conflict"),
        (413, "TooLarge"),
        (418, "Refused"),
        (422, "Invalid"),
        (429, "TooManyRequests"),
        (503, "Unavailable"),
    ],
)
def test_a_refusal_has_the_words_of_the_endpoint(fake: FakeAssay, status: int, code: str) -> None:
    fake.on("GET", "/", lambda r: r.refuse(status, "No.", Retry_After="7"))
    with pytest.raises(AssayError) as caught:
        Endpoint(fake.url).json("GET", "/api/v1/runs")
    assert (caught.value.code, caught.value.status) == (code, status)
    assert caught.value.message.startswith("No.")
    assert caught.value.retry_after == 7
    assert ("--key-file" in caught.value.message) == (status == 401)


@pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b'{"error": "x"}', b"[" * 100_000])
def test_the_refusal_of_another_server_says_so(fake: FakeAssay, body: bytes) -> None:
    fake.on("GET", "/", lambda r: r.answer(404, body))
    with pytest.raises(AssayError, match="answered 404 and is perhaps not Assay"):
        Endpoint(fake.url).json("GET", "/api/v1/runs")


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"\xff"])
def test_a_response_that_is_no_object_is_not_of_assay(fake: FakeAssay, body: bytes) -> None:
    fake.on("GET", "/", lambda r: r.answer(200, body))
    with pytest.raises(AssayError, match="sent an answer that is not Assay's"):
        Endpoint(fake.url).json("GET", "/api/v1/runs")


def test_line_feeds_before_a_response_are_skipped(fake: FakeAssay) -> None:
    fake.on("GET", "/", lambda r: r.answer(200, b'\n\n\n{"a": 1}'))
    assert Endpoint(fake.url).json("GET", "/x") == {"a": 1}


def test_nothing_at_an_address_is_said_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            AssayError, match=r"nothing answers at .*: start it \('assay l"
        ) as caught:
            Endpoint(url).json("GET", "/")
    assert caught.value.code == "Unreachable"


def test_another_machine_is_not_to_be_started_by_local_mode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(AssayError) as caught:
        Endpoint("http://assay.example:1").json("GET", "/")
    assert str(caught.value) == (
        "nothing answers at http://assay.example:1: check that it is running, or name another with"
        " --endpoint or ASSAY_ENDPOINT"
    )


def test_a_host_that_no_name_can_be_is_not_found() -> None:
    for host in ("a" * 64 + ".example", "a..example"):
        with pytest.raises(AssayError, match="was not found: correct --endpoint"):
            Endpoint(f"http://{host}").json("GET", "/")


def test_an_unknown_host_is_said() -> None:
    with pytest.raises(AssayError, match=r"the host of http://nowhere\.invalid was not found"):
        Endpoint("http://nowhere.invalid").json("GET", "/")


def test_a_response_that_never_comes_is_given_up(fake: FakeAssay) -> None:
    over = threading.Event()
    fake.on("GET", "/", lambda r: over.wait(SECONDS) and None)
    with pytest.raises(AssayError, match="sent nothing for 0 s") as caught:
        Endpoint(fake.url).json("GET", "/", timeout=0.05)
    over.set()
    assert caught.value.code == "Disconnected"


def test_a_response_that_breaks_off_is_no_response(fake: FakeAssay) -> None:
    def half(request: Request) -> None:
        request.handler.send_response(200)
        request.handler.send_header("Content-Length", "100")
        request.handler.end_headers()
        request.handler.wfile.write(b'{"a": 1}')

    fake.on("GET", "/", half)
    endpoint = Endpoint(fake.url)
    with pytest.raises(AssayError, match=r"the connection to .* broke"):
        endpoint.json("GET", "/")
    with pytest.raises(AssayError, match="broke"), endpoint.request("GET", "/") as reply:
        list(reply.chunks())


def raw_server(answer: bytes) -> tuple[str, threading.Thread]:
    """Answers one connection with bytes."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return f"http://127.0.0.1:{server.getsockname()[1]}", thread


def test_a_server_that_speaks_something_else_is_said() -> None:
    url, thread = raw_server(b"SSH-2.0-OpenSSH\r\n")
    with pytest.raises(AssayError, match="does not speak HTTP"):
        Endpoint(url).json("GET", "/")
    thread.join(SECONDS)


@pytest.mark.parametrize("status", [b"100 Continue", b"103 Early Hints"])
def test_responses_before_the_real_one_are_limited(status: bytes) -> None:
    url, thread = raw_server(b"HTTP/1.1 " + status + b"\r\n\r\nHTTP/1.1 204 None\r\n\r\n")
    assert Endpoint(url).json("GET", "/") == {}
    thread.join(SECONDS)
    url, thread = raw_server((b"HTTP/1.1 " + status + b"\r\n\r\n") * 100)
    with pytest.raises(AssayError, match="does not speak HTTP"):
        Endpoint(url).json("GET", "/")
    thread.join(SECONDS)


def test_the_time_for_a_response_to_begin_is_not_renewed_by_each_byte() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def drip() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while not over.wait(0.01):
                connection.sendall(b"x")

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    with pytest.raises(AssayError, match="sent nothing for"):
        Endpoint(f"http://127.0.0.1:{server.getsockname()[1]}").json("GET", "/", timeout=0.2)
    over.set()
    thread.join(SECONDS)


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (lambda reply: reply.json(), b"[" + b" " * 1000 + b"]"),
        (lambda reply: list(reply.lines()), b"x" * 1001),
        (lambda reply: list(reply.events()), b"data: xxxx\n" * 101),
    ],
)
def test_what_an_endpoint_sends_does_not_fill_the_memory(
    fake: FakeAssay, monkeypatch: pytest.MonkeyPatch, read, body: bytes
) -> None:
    monkeypatch.setattr(_http, "MAX_BYTES", 1000)
    fake.on("GET", "/", lambda r: r.answer(200, body))
    with (
        pytest.raises(AssayError, match="sent more than 1000 bytes") as caught,
        Endpoint(fake.url).request("GET", "/") as reply,
    ):
        read(reply)
    assert caught.value.code == "NotAssay"


def test_a_refusal_of_any_length_is_one(fake: FakeAssay) -> None:
    fake.on("GET", "/", lambda r: r.answer(503, b"x" * 1_000_000))
    with pytest.raises(AssayError, match="answered 503 and is perhaps not Assay") as caught:
        Endpoint(fake.url).json("GET", "/")
    assert caught.value.code == "Unavailable"


def test_a_refusal_that_comes_at_once_is_read_before_the_body_is_sent() -> None:
    body = json.dumps({"error": {"code": 409, "message": "taken"}}).encode()
    head = (
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n"
    )
    url, thread = raw_server(head + b"\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
    sent: list[bytes] = []

    def chunks():
        sent.append(b"x")
        yield b"x"

    with pytest.raises(AssayError, match="taken") as caught:
        Endpoint(url).upload("/x", chunks(), 1)
    assert (caught.value.code, sent) == ("Conflict", [])
    thread.join(SECONDS)


def test_without_a_word_to_send_the_body_it_is_sent_after_a_while(
    fake: FakeAssay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_http, "CONTINUE_SECONDS", 0.05)

    def silent(request: Request) -> bool:
        request.answer(201, {"name": request.read_body().decode()})
        return True

    fake.before_upload = silent
    assert Endpoint(fake.url).upload("/api/v1/datasets/a", [b"ab", b"c"], 3) == {"name": "abc"}


def test_a_refusal_while_the_body_is_sent_is_read(fake: FakeAssay) -> None:
    def refuse(request: Request) -> bool:
        request.handler.send_response_only(100)
        request.handler.end_headers()
        request.handler.rfile.read(10)
        request.refuse(413, "too much")
        request.handler.wfile.flush()
        # Until the client has noticed: a reset could overtake the response.
        while request.handler.rfile.read1(1 << 20):
            pass
        return True

    fake.before_upload = refuse

    def chunks():
        for _ in range(100):
            yield b"x" * 100_000
        raise BrokenPipeError

    with pytest.raises(AssayError, match="too much"):
        Endpoint(fake.url).upload("/api/v1/datasets/a", chunks(), 1 << 40)


@pytest.fixture
def https(tmp_path: Path) -> tuple[str, Path]:
    """An endpoint with a certificate of its own, and the certificate."""
    x509 = pytest.importorskip("cryptography.x509", reason="creates a certificate")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "certificate.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    both = tmp_path / "both.pem"
    both.write_bytes(
        pem.read_bytes()
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    with serving() as fake:
        fake.server.handle_error = lambda *a: None  # type: ignore[method-assign]
        fake.server.socket = context.wrap_socket(fake.server.socket, server_side=True)
        yield fake.url.replace("http://127.0.0.1", "https://localhost"), pem


def test_a_certificate_that_is_not_trusted_is_said_before_the_key_is_sent(
    https: tuple[str, Path],
) -> None:
    with pytest.raises(AssayError, match=r"is not trusted .*SSL_CERT_FILE") as caught:
        Endpoint(https[0], "key").json("GET", "/api/v1/datasets")
    assert caught.value.code == "Tls"


def test_a_certificate_of_an_own_ca_is_named_by_a_variable(
    https: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(https[1]))
    assert Endpoint(https[0]).json("GET", "/api/v1/datasets") == {"items": []}
    # The upload reads from the same kind of socket.
    assert Endpoint(https[0]).upload("/api/v1/datasets/a?replace=true", [b"x"], 1)["name"] == "a"


def test_https_to_a_plain_server_is_said(fake: FakeAssay) -> None:
    fake.server.handle_error = lambda *a: None  # type: ignore[method-assign]
    with pytest.raises(AssayError, match=r"no TLS connection .* http:// \?"):
        Endpoint(fake.url.replace("http:", "https:")).json("GET", "/")
