"""The Pods of the stand-in node: each is a supervisor with an address of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from assay_runner.supervisor.api import Api
from assay_runner.supervisor.bodies import Bodies
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.driver import Driver
from assay_runner.supervisor.http_connection import HttpConnection
from bench.stand_in.worker import StandInWorker

_DRAIN_SECONDS = 1.0
# Of connections that wait to be accepted: a thousand runs may begin at once.
_BACKLOG = 4096


class StandInPod:
    """The supervisor of one Pod, in this process.

    Args:
        environment: of the supervisor's container.
        ended: called when it has exited.
    """

    def __init__(self, environment: Mapping[str, str], ended: Callable[[], None]) -> None:
        config = Config.from_environment(environment)
        self._request_seconds = config.request_timeout_ms / 1000
        self._driver = Driver(config, None, StandInWorker)
        self._api = Api(config, self._driver)
        self._bodies = Bodies()
        self._connections: dict[asyncio.Task[None], HttpConnection] = {}
        self._driver.listen()
        self._life = asyncio.create_task(self._live(ended))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        task = asyncio.current_task()
        assert task is not None
        connection = HttpConnection(
            reader, writer, self._api, self._driver, self._bodies, self._request_seconds
        )
        self._connections[task] = connection
        try:
            await connection.serve()
        finally:
            del self._connections[task]

    def kill(self) -> None:
        """End it and its connections at once."""
        self._life.cancel()
        for task in self._connections:
            task.cancel()
        self._driver.shut_down()

    async def _live(self, ended: Callable[[], None]) -> None:
        await self._driver.result_acknowledged.wait()
        self._driver.shut_down()
        for task, connection in self._connections.items():
            if connection.idle:
                task.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=_DRAIN_SECONDS)
        ended()


class StandInPods:
    """All Pods of the node, by their addresses. One socket listens for all of them."""

    def __init__(self) -> None:
        self._pods: dict[str, StandInPod] = {}

    async def listen(self, port: int) -> int:
        """Listen on the port of every Pod; returns it, since with 0 the system chooses."""
        server = await asyncio.start_server(self._connected, "0.0.0.0", port, backlog=_BACKLOG)
        chosen: int = server.sockets[0].getsockname()[1]
        return chosen

    def start(
        self, address: str, environment: Mapping[str, str], ended: Callable[[], None]
    ) -> None:
        """Start a Pod.

        Args:
            address: its own.
            environment: of its supervisor.
            ended: called when its supervisor has exited.
        """
        self._pods[address] = StandInPod(environment, ended)

    def remove(self, address: str) -> None:
        """End what still runs of a Pod."""
        self._pods.pop(address).kill()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address, _ = writer.get_extra_info("sockname")
        pod = self._pods.get(address)
        if pod is None:
            writer.close()
        else:
            # A Pod that is killed cancels its connections.
            with contextlib.suppress(asyncio.CancelledError):
                await pod.serve(reader, writer)
