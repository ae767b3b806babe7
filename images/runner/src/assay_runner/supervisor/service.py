"""The supervisor's server: listens, serves, and exits when the result was acknowledged."""

from __future__ import annotations

import asyncio
import json
import signal

from assay_runner.supervisor.api import Api
from assay_runner.supervisor.bodies import Bodies
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.driver import Driver
from assay_runner.supervisor.http_connection import HttpConnection
from assay_runner.supervisor.mirror import Mirror

MAX_CONNECTIONS = 32
_DRAIN_SECONDS = 1.0
_MIRROR_SECONDS = 0.5
_STDOUT = 1
_EXIT_TERMINATED = 128 + signal.SIGTERM


class Service:
    """Serves the protocol over TCP."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._mirror = Mirror(_STDOUT) if config.mirror_output else None
        self._driver = Driver(config, self._mirror)
        self._api = Api(config, self._driver)
        self._connections: dict[asyncio.Task[None], HttpConnection] = {}
        self._bodies = Bodies()
        self._terminated = asyncio.Event()

    async def serve(self) -> int:
        """Serve until the result is acknowledged (returns 0) or SIGTERM arrives (returns 143).

        After the acknowledgement, serves for the configured time longer.
        """
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._terminated.set)
        server = await asyncio.start_server(
            self._connected, self._config.address, self._config.port
        )
        # Only now accept the launcher: mirrored output must not precede the line below.
        self._driver.listen()
        port = server.sockets[0].getsockname()[1]
        print(json.dumps({"listening": port}), flush=True)
        acknowledged = await self._wait_for_end()
        server.close()
        self._driver.shut_down()
        await self._finish_connections()
        if self._mirror is not None:
            self._mirror.close(_MIRROR_SECONDS)
        return 0 if acknowledged else _EXIT_TERMINATED

    async def _wait_for_end(self) -> bool:
        """Return True if the result was acknowledged, False on SIGTERM."""
        acknowledged = asyncio.create_task(self._driver.result_acknowledged.wait())
        terminated = asyncio.create_task(self._terminated.wait())
        await asyncio.wait((acknowledged, terminated), return_when=asyncio.FIRST_COMPLETED)
        if acknowledged.done():
            # What follows the end of a container takes the processor from those that answer.
            await asyncio.wait((terminated,), timeout=self._config.linger_ms / 1000)
        return acknowledged.done()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._connections) >= MAX_CONNECTIONS:
            writer.close()
            return
        seconds = self._config.request_timeout_ms / 1000
        connection = HttpConnection(reader, writer, self._api, self._driver, self._bodies, seconds)
        self._connections[task] = connection
        try:
            await connection.serve()
        finally:
            del self._connections[task]

    async def _finish_connections(self) -> None:
        """Cancel idle connections, and give event streams a limited time to send what they have."""
        for task, connection in self._connections.items():
            if connection.idle:
                task.cancel()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=_DRAIN_SECONDS)
            for task in late:
                task.cancel()


async def serve(config: Config) -> int:
    """Serve one run; returns the process's exit code."""
    return await Service(config).serve()
