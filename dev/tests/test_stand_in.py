"""The stand-in node: its Pods speak the runner protocol, and its kubelet reports them."""

from __future__ import annotations

import asyncio
import base64
import json
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from messages import Messages
from runner_client import RunnerClient, Target, python_job

from bench.kubernetes import ApiError, Object
from bench.stand_in import kubelet as kubelets
from bench.stand_in import objects
from bench.stand_in.code import Call, call_code, call_of, seconds_of, sleep_code
from bench.stand_in.kubelet import Kubelet
from bench.stand_in.pods import StandInPods
from bench.warm.timed_runs import timed_code

_SECONDS = 30.0
_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_KEY = Ed25519PrivateKey.generate()
_PUBLIC = base64.b64encode(_KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()
_MESSAGES = Messages()


def _environment(uid: str) -> dict[str, str]:
    return {
        "ASSAY_POD_UID": uid,
        "ASSAY_POD_NAMESPACE": "runs",
        "ASSAY_PUBLIC_KEYS": f"k1={_PUBLIC}",
    }


def _pod(name: str, node: str | None = objects.NODE) -> Object:
    field = {"fieldRef": {"fieldPath": "metadata.uid"}}
    namespace = {"fieldRef": {"fieldPath": "metadata.namespace"}}
    environment = [
        {"name": "ASSAY_POD_UID", "valueFrom": field},
        {"name": "ASSAY_POD_NAMESPACE", "valueFrom": namespace},
        {"name": "ASSAY_PUBLIC_KEYS", "value": f"k1={_PUBLIC}"},
    ]
    return {
        "metadata": {"name": name, "namespace": "runs", "uid": f"uid-{name}"},
        "spec": {
            "nodeName": node,
            "containers": [
                {"name": "worker", "image": "runner", "env": []},
                {"name": "supervisor", "image": "runner", "env": environment},
            ],
        },
        "status": {"phase": "Pending"},
    }


def _deleted(pod: Object) -> Object:
    return {**pod, "metadata": {**pod["metadata"], "deletionTimestamp": "now"}}


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def call(self, action: Callable[[], object]) -> object:
        """Do something in its thread."""

        async def act() -> object:
            found = action()
            return await found if asyncio.iscoroutine(found) else found

        return asyncio.run_coroutine_threadsafe(act(), self._loop).result(_SECONDS)

    def stop(self) -> None:
        """End it and what it does."""

        async def cancel() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self.call(cancel)
        self._loop.call_soon_threadsafe(self._loop.stop)


@pytest.fixture
def loop() -> Iterator[_Loop]:
    """An event loop that ends with the test."""
    started = _Loop()
    yield started
    started.stop()


class _Node:
    """Stand-in Pods of this test, at addresses of the loopback."""

    def __init__(self, loop: _Loop) -> None:
        self._loop = loop
        self._pods = StandInPods()
        self.ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        port = loop.call(lambda: self._pods.listen(0))
        assert isinstance(port, int)
        self._port = port

    def start(self, address: str, uid: str) -> RunnerClient:
        """Start a Pod; returns its caller."""
        environment = _environment(uid)
        self._loop.call(lambda: self._pods.start(address, environment, lambda: self.ended.put(uid)))
        return self.client(address, uid)

    def client(self, address: str, uid: str) -> RunnerClient:
        target = Target(address, self._port, "runs", uid, "k1", _KEY)
        return RunnerClient(target, _MESSAGES)

    def remove(self, address: str) -> None:
        self._loop.call(lambda: self._pods.remove(address))


@pytest.fixture
def node(loop: _Loop) -> _Node:
    """A node without Pods."""
    return _Node(loop)


def test_a_stand_in_serves_a_run_from_hello_to_ack(node: _Node) -> None:
    pod = node.start("127.0.0.2", "pod-1")
    assert pod.hello()["state"] == "Idle"
    assert pod.request("GET", "/v1/egress").body == {"egress": "unknown"}
    code = timed_code(sleep_code(0.05))
    assert pod.call("stage", job=python_job(code)).body == {"state": "Staged"}
    run = pod.start().finish()
    assert [event["type"] for event in run.events] == ["started", "output", "result"]
    assert run.outcome == "Succeeded"
    first, has_libraries, last = json.loads(run.text)
    assert (last - first) / 1e9 >= 0.05
    assert has_libraries
    assert pod.call("ack", seq=run.result["seq"]).status == 200
    assert node.ended.get(timeout=_SECONDS) == "pod-1"


def test_the_address_says_which_pod_answers(node: _Node) -> None:
    clients = [node.start(f"127.0.0.{number}", f"pod-{number}") for number in (2, 3)]
    hellos = [client.hello() for client in clients]
    assert [hello["podUid"] for hello in hellos] == ["pod-2", "pod-3"]
    assert hellos[0]["nonce"] != hellos[1]["nonce"]


def test_nobody_answers_at_the_address_of_a_pod_that_was_removed(node: _Node) -> None:
    pod = node.start("127.0.0.2", "pod-1")
    pod.hello()
    node.remove("127.0.0.2")
    with pytest.raises(OSError, match=r"closed|reset"):
        pod.hello()


def test_a_request_with_the_signature_of_another_key_is_refused(node: _Node) -> None:
    pod = node.start("127.0.0.2", "pod-1")
    forged = pod.with_key(Ed25519PrivateKey.generate())
    reply = forged.call("stage", job=python_job(timed_code()))
    assert (reply.status, reply.code) == (401, "BadSignature")


def test_a_cancelled_stand_in_ends_its_code(node: _Node) -> None:
    pod = node.start("127.0.0.2", "pod-1")
    pod.call("stage", job=python_job(timed_code(sleep_code(600))))
    stream = pod.start()
    stream.until("started")
    pod.call("cancel")
    assert stream.finish().outcome == "Cancelled"


@pytest.mark.parametrize(
    ("outcome", "printed"),
    [
        ({"ok": True, "result": "b" * 500_000}, "OK\n"),
        (
            {"ok": False, "error": {"code": "RESULT_TOO_LARGE", "message": "too\nmuch"}},
            "RESULT_TOO_LARGE: too much\n",
        ),
    ],
)
def test_a_stand_in_calls_a_tool_and_prints_the_outcome(
    node: _Node, outcome: Object, printed: str
) -> None:
    pod = node.start("127.0.0.2", "pod-1")
    pod.hello()
    tools = {"maxParallel": 1, "resultBytes": 1024 * 1024}
    job = {**python_job(call_code("store", "list", {"city": "é"})), "tools": tools}
    assert pod.call("stage", job=job).body == {"state": "Staged"}
    stream = pod.start()
    event = stream.until("tool_call")
    assert (event["call"], event["server"], event["tool"]) == (1, "store", "list")
    assert json.loads(base64.b64decode(event["args"])) == {"city": "é"}
    assert pod.tool_result(1, json.dumps(outcome).encode()).status == 200
    run = stream.finish()
    assert (run.outcome, run.text) == ("Succeeded", printed)


def test_files_are_collected_where_there_are_none(node: _Node) -> None:
    pod = node.start("127.0.0.2", "pod-1")
    collect = {"folders": ["artifacts"], "maxCount": 10, "maxBytes": 1000}
    pod.stage({**python_job(timed_code()), "collect": collect})
    run = pod.start().finish()
    assert (run.outcome, run.artifacts) == ("Succeeded", {})


def test_code_lasts_as_long_as_its_sleep() -> None:
    assert seconds_of(timed_code(sleep_code(2.5))) == 2.5
    assert seconds_of(timed_code()) == 0


def test_code_that_calls_a_tool_is_python_that_does_so(capsys: pytest.CaptureFixture[str]) -> None:
    code = call_code("store", "list", {"city": "a'\"é"})
    assert call_of(code) == Call("store", "list", json.dumps({"city": "a'\"é"}))
    assert call_of(timed_code()) is None
    calls: list[tuple[object, ...]] = []

    def call_tool(*call: object) -> Object:
        calls.append(call)
        return {"ok": False, "error": {"code": "SERVER_NOT_FOUND", "message": "no such server"}}

    exec(code, {"call_tool": call_tool})
    assert calls == [("store", "list", {"city": "a'\"é"})]
    assert capsys.readouterr().out == "SERVER_NOT_FOUND: no such server\n"


def test_a_supervisor_finds_the_identity_of_its_pod() -> None:
    environment = objects.supervisor_environment(_pod("a"))
    assert environment == {**_environment("uid-a"), "ASSAY_POD_NAMESPACE": "runs"}


def test_only_pods_that_tolerate_it_come_to_the_node() -> None:
    node = objects.node("192.0.2.1", "198.51.100.0/24", _AT)
    (taint,) = node["spec"]["taints"]
    fields = objects.class_fields()
    (toleration,) = fields["tolerations"]
    assert {name: toleration[name] for name in taint} == taint
    assert fields["nodeSelector"].items() <= node["metadata"]["labels"].items()


def test_the_status_of_a_pod_is_that_of_a_kubelet() -> None:
    pod = _pod("a")
    patch = objects.running(pod, "198.51.100.7", "192.0.2.1", _AT)
    assert patch["metadata"] == {"uid": "uid-a"}
    assert (patch["status"]["phase"], patch["status"]["podIP"]) == ("Running", "198.51.100.7")
    states = [one["state"] for one in patch["status"]["containerStatuses"]]
    assert states == [{"running": {"startedAt": "2026-01-02T03:04:05Z"}}] * 2
    ended = objects.succeeded(pod, _AT, _AT)["status"]
    assert ended["phase"] == "Succeeded"
    assert all(one["state"]["terminated"]["exitCode"] == 0 for one in ended["containerStatuses"])


class _Requests:
    """A connection that records what is sent."""

    def __init__(self, api: _Api) -> None:
        self._api = api

    def keep_open(self) -> None:
        """It is never idle."""

    def send(self, method: str, path: str, body: Object) -> None:
        self._api.sent.put((method, path, body))

    def receive(self) -> Object:
        if self._api.refuses:
            raise ApiError("not found")
        if self._api.losses > 0:
            self._api.losses -= 1
            raise ConnectionResetError
        return {}


class _Api:
    """As much of the API as a kubelet needs."""

    def __init__(self) -> None:
        self.created: list[str] = []
        self.events: queue.SimpleQueue[tuple[str, Object] | Exception] = queue.SimpleQueue()
        self.sent: queue.SimpleQueue[tuple[str, str, Object]] = queue.SimpleQueue()
        self.refuses = False
        self.losses = 0

    def connect(self) -> _Requests:
        return _Requests(self)

    def create(self, path: str, item: Object) -> Object:
        self.created.append(path)
        return item

    def follow(self, *_: object, **query: str) -> Iterator[tuple[str, Object]]:
        assert query["fieldSelector"] == f"spec.nodeName={objects.NODE}"
        while True:
            event = self.events.get()
            if isinstance(event, Exception):
                raise event
            yield event


@pytest.fixture
def api(loop: _Loop, monkeypatch: pytest.MonkeyPatch) -> _Api:
    """An API server that a kubelet follows."""
    monkeypatch.setattr(kubelets, "PORT", 0)
    started = _Api()

    async def start() -> None:
        await Kubelet(started, "192.0.2.1", "127.9.0.0/30").start()  # type: ignore[arg-type]

    loop.call(start)
    return started


def test_a_kubelet_registers_its_node_and_its_lease(api: _Api) -> None:
    assert [path.rpartition("/")[2] for path in api.created] == ["nodes", "leases"]


def test_a_pod_that_is_assigned_to_the_node_runs_once(api: _Api) -> None:
    pod = _pod("a")
    api.events.put(("ADDED", pod))
    api.events.put(("MODIFIED", pod))
    api.events.put(("ADDED", _pod("b")))
    sent = [api.sent.get(timeout=_SECONDS) for _ in range(2)]
    assert {path for _, path, _ in sent} == {
        "/api/v1/namespaces/runs/pods/a/status",
        "/api/v1/namespaces/runs/pods/b/status",
    }
    assert {body["status"]["podIP"] for _, _, body in sent} == {"127.9.0.1", "127.9.0.2"}


def test_a_pod_that_is_being_deleted_is_removed_and_its_address_is_free_again(api: _Api) -> None:
    for name in ("a", "b", "c"):
        pod = _pod(name)
        api.events.put(("ADDED", pod))
        assert api.sent.get(timeout=_SECONDS)[2]["status"]["phase"] == "Running"
        api.events.put(("MODIFIED", _deleted(pod)))
        method, path, body = api.sent.get(timeout=_SECONDS)
        assert (method, path) == ("DELETE", f"/api/v1/namespaces/runs/pods/{name}")
        assert body == {"gracePeriodSeconds": 0, "preconditions": {"uid": f"uid-{name}"}}
        api.events.put(("DELETED", pod))


def test_a_refused_write_does_not_stop_later_ones(api: _Api) -> None:
    api.refuses = True
    pod = _pod("a")
    api.events.put(("ADDED", pod))
    api.events.put(("MODIFIED", _deleted(pod)))
    assert [api.sent.get(timeout=_SECONDS)[0] for _ in range(2)] == ["PATCH", "DELETE"]


def test_a_write_whose_answer_is_lost_is_sent_again(api: _Api) -> None:
    api.losses = 2
    api.events.put(("ADDED", _pod("a")))
    sent = [api.sent.get(timeout=_SECONDS) for _ in range(3)]
    assert [body["status"]["phase"] for _, _, body in sent] == ["Running"] * 3


def test_pods_are_followed_again_after_their_watch_was_lost(
    api: _Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubelets, "_PAUSE_SECONDS", 0.0)
    pod = _pod("a")
    api.events.put(("ADDED", pod))
    api.events.put(ApiError("expired"))
    api.events.put(("ADDED", pod))
    api.events.put(("ADDED", _pod("b")))
    sent = [api.sent.get(timeout=_SECONDS)[1] for _ in range(2)]
    assert sorted(sent) == [f"/api/v1/namespaces/runs/pods/{name}/status" for name in ("a", "b")]
