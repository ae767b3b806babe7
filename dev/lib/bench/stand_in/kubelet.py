"""The kubelet of the stand-in node: starts its Pods, and reports how they are."""

from __future__ import annotations

import asyncio
import http.client
import ipaddress
import queue
import sys
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from bench.kubernetes import ApiError, Connection, Kubernetes, Object
from bench.stand_in import objects
from bench.stand_in.pods import StandInPods

# The port of the runner's supervisor.
PORT = 7333
_WRITERS = 8
# Of a request that the API server does not answer in time.
_TRIES = 5
_HEARTBEAT_SECONDS = 10.0
_WATCH_SECONDS = 6 * 3600
_PAUSE_SECONDS = 1.0
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
_ENDED = ("Succeeded", "Failed")
_LOST = (OSError, http.client.HTTPException)


@dataclass
class _Known:
    """A Pod of the node."""

    pod: Object
    address: str
    began: datetime
    ended: bool = False


class Writers:
    """Sends requests to the API server in threads, those of one Pod in their order."""

    def __init__(self, kubernetes: Kubernetes, count: int = _WRITERS) -> None:
        self._queues: list[queue.SimpleQueue[tuple[str, str, Object]]] = []
        for _ in range(count):
            requests: queue.SimpleQueue[tuple[str, str, Object]] = queue.SimpleQueue()
            self._queues.append(requests)
            target = partial(self._send, kubernetes, requests)
            threading.Thread(target=target, daemon=True).start()

    def put(self, uid: str, method: str, path: str, body: Object) -> None:
        """Send a request after those with the same UID."""
        self._queues[hash(uid) % len(self._queues)].put((method, path, body))

    @staticmethod
    def _send(kubernetes: Kubernetes, requests: queue.SimpleQueue[tuple[str, str, Object]]) -> None:
        connection: Connection | None = None
        while True:
            method, path, body = requests.get()
            # A Pod whose status is not written stays as it is, and so does its run.
            for _ in range(_TRIES):
                try:
                    connection = connection or kubernetes.connect()
                    connection.keep_open()
                    connection.send(method, path, body)
                    connection.receive()
                except ApiError as error:
                    # Usually the Pod is gone: whoever deletes one does not wait for its status.
                    print(error, file=sys.stderr)
                except _LOST as error:
                    print(f"{method} {path}: {error!r}", file=sys.stderr)
                    connection = None
                    continue
                break


class Kubelet:
    """Of the stand-in node.

    Args:
        kubernetes: the API server.
        address: of the node.
        network: the addresses of Pods, as in `198.51.100.0/24`.
    """

    def __init__(self, kubernetes: Kubernetes, address: str, network: str) -> None:
        self._kubernetes = kubernetes
        self._address = address
        self._network = network
        hosts: Iterator[ipaddress.IPv4Address] = ipaddress.IPv4Network(network).hosts()
        self._free = deque(map(str, hosts))
        self._pods = StandInPods()
        self._known: dict[str, _Known] = {}
        self._writers = Writers(kubernetes)
        self._loop = asyncio.get_running_loop()

    async def start(self) -> None:
        """Register the node and begin to follow its Pods."""
        await self._pods.listen(PORT)
        await asyncio.to_thread(self._register)
        for work in (self._renew, self._follow):
            threading.Thread(target=work, daemon=True).start()

    def _register(self) -> None:
        at = datetime.now(UTC)
        self._kubernetes.create("/api/v1/nodes", objects.node(self._address, self._network, at))
        self._kubernetes.create(_LEASES, objects.lease(at))

    def _renew(self) -> None:
        pause = threading.Event()
        while not pause.wait(_HEARTBEAT_SECONDS):
            spec = objects.lease(datetime.now(UTC))["spec"]
            try:
                self._kubernetes.merge(f"{_LEASES}/{objects.NODE}", {"spec": spec})
            except (ApiError, *_LOST) as error:
                # The next one is early enough.
                print(f"lease: {error!r}", file=sys.stderr)

    def _follow(self) -> None:
        pause = threading.Event()
        while True:
            try:
                for event, pod in self._events():
                    self._loop.call_soon_threadsafe(self._observe, event, pod)
            except (ApiError, *_LOST) as error:
                # From the beginning again: what is known already changes nothing.
                print(f"watch: {error!r}", file=sys.stderr)
                pause.wait(_PAUSE_SECONDS)

    def _events(self) -> Iterator[tuple[str, Object]]:
        return self._kubernetes.follow(
            "/api/v1/pods",
            "0",
            _WATCH_SECONDS,
            timeoutSeconds=str(_WATCH_SECONDS),
            fieldSelector=f"spec.nodeName={objects.NODE}",
        )

    def _observe(self, event: str, pod: Object) -> None:
        uid = pod["metadata"]["uid"]
        known = self._known.get(uid)
        if event == "DELETED":
            if known is not None:
                self._forget(uid, known)
        elif "deletionTimestamp" in pod["metadata"]:
            if known is None or not known.ended:
                self._writers.put(uid, "DELETE", objects.path(pod), objects.removal(pod))
            if known is not None:
                known.ended = True
        elif known is None and pod["status"]["phase"] not in _ENDED:
            self._start(uid, pod)

    def _start(self, uid: str, pod: Object) -> None:
        known = _Known(pod, self._free.popleft(), datetime.now(UTC))
        self._known[uid] = known
        environment = objects.supervisor_environment(pod)
        self._pods.start(known.address, environment, partial(self._ended, uid, known))
        status = objects.running(pod, known.address, self._address, known.began)
        self._writers.put(uid, "PATCH", f"{objects.path(pod)}/status", status)

    def _ended(self, uid: str, known: _Known) -> None:
        if not known.ended:
            known.ended = True
            status = objects.succeeded(known.pod, known.began, datetime.now(UTC))
            self._writers.put(uid, "PATCH", f"{objects.path(known.pod)}/status", status)

    def _forget(self, uid: str, known: _Known) -> None:
        """The address is used again as late as possible."""
        known.ended = True
        self._pods.remove(known.address)
        self._free.append(known.address)
        del self._known[uid]
