"""The supervisor's side of the launcher: one connection, the output pipe, the control socket."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import socket
import stat
from typing import Protocol

from assay_runner.frames import PIPE_BYTES, FrameError, FrameReader, Message, encode
from assay_runner.supervisor.worker_messages import (
    MAX_LAUNCHER_FRAME_BYTES,
    MAX_WORKER_FRAME_BYTES,
)

_READ_BYTES = 256 * 1024
# A writer of short lines would else wake this process for each of them, and wait for it. Only a
# pipe of full size holds what comes meanwhile, in less time than output is gathered for.
_REST_SECONDS = 0.005
_FEW_BYTES = 64 * 1024
_HANDED_OVER = 2
_OUTPUT_END_SECONDS = 0.5
# More than the largest pipe holds. Bounds the drain if a writer survives.
_MAX_DRAIN_READS = 64


class LinkListener(Protocol):
    """Receives what arrives."""

    def launcher_connected(self, worker: str) -> None:
        """The launcher said which worker it has started."""

    def pipe_is_small(self, size: int, reason: str) -> None:
        """The output pipe holds less than it should, so output will be slower."""

    def output_received(self, data: bytes) -> None:
        """Bytes that the worker wrote."""

    def worker_said(self, message: Message) -> None:
        """A message of the worker.

        Raises:
            FrameError: to hear nothing more from it.
        """

    def launcher_said(self, message: Message) -> None:
        """A message of the launcher.

        Raises:
            FrameError: to drop the launcher.
        """

    def launcher_lost(self) -> None:
        """The launcher is gone; said once, after everything it left behind."""


class LauncherLink:
    """Accepts exactly one launcher and then listens no more.

    Args:
        path: where the unix socket is made; an old one is replaced.
        listener: receives what arrives.
    """

    def __init__(self, path: str, listener: LinkListener) -> None:
        self._path = path
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._server: socket.socket | None = None
        self._launcher: socket.socket | None = None
        self._control: socket.socket | None = None
        self._output: int | None = None
        self._launcher_frames = FrameReader(MAX_LAUNCHER_FRAME_BYTES)
        self._control_frames = FrameReader(MAX_WORKER_FRAME_BYTES)
        self._sending: asyncio.Task[None] | None = None
        self._output_ended = asyncio.Event()
        self._greeted = False
        self._lost = False

    def listen(self) -> None:
        """Start to wait for the launcher.

        Raises:
            OSError: if the socket cannot be made.
        """
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.setblocking(False)
        # The launcher runs as another user of the same Pod and may connect at any moment.
        mask = os.umask(0o111)
        try:
            server.bind(self._path)
        finally:
            os.umask(mask)
        server.listen(1)
        self._server = server
        self._loop.add_reader(server, self._accept)

    def send_to_worker(self, message: Message) -> bool:
        """Send one message down the worker's control socket; False if that is closed."""
        if self._control is None:
            return False
        self._sending = self._loop.create_task(self._send(self._control, encode(message)))
        return True

    def stop(self, grace_ms: int) -> None:
        """Tell the launcher to end the worker: politely, then after `grace_ms` by force."""
        if self._launcher is not None:
            with contextlib.suppress(OSError):
                self._launcher.send(encode({"type": "stop", "graceMs": grace_ms}))

    def drain(self) -> None:
        """Read what the worker has left behind, as far as it can be read without waiting."""
        self._drain_control()
        for _ in range(_MAX_DRAIN_READS):
            if not self._read_output():
                break

    def close(self) -> None:
        """Hang up; a launcher that is still there then ends everything."""
        self._stop_listening()
        self._close_control()
        self._close_output()
        if self._launcher is not None:
            self._loop.remove_reader(self._launcher)
            self._launcher.close()
            self._launcher = None

    async def _send(self, target: socket.socket, data: bytes) -> None:
        with contextlib.suppress(OSError):
            await self._loop.sock_sendall(target, data)

    def _accept(self) -> None:
        if self._server is None:
            return
        try:
            launcher, _ = self._server.accept()
        except (BlockingIOError, ConnectionError):
            return
        self._stop_listening()
        launcher.setblocking(False)
        self._launcher = launcher
        self._loop.add_reader(launcher, self._read_launcher)

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._loop.remove_reader(self._server)
            self._server.close()
            self._server = None
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)

    def _read_launcher(self) -> None:
        if self._launcher is None:
            return
        try:
            data, descriptors, _, _ = socket.recv_fds(self._launcher, 4096, _HANDED_OVER)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        try:
            if descriptors:
                self._adopt(descriptors)
            if not data:
                raise FrameError("the launcher hung up")
            for message in self._launcher_frames.feed(data):
                self._hear_launcher(message)
        except FrameError:
            self._lose()

    def _hear_launcher(self, message: Message) -> None:
        if message.get("type") != "hello":
            self._listener.launcher_said(message)
            return
        worker = message.get("worker")
        complete = self._output is not None and self._control is not None
        if self._greeted or not isinstance(worker, str) or not complete:
            raise FrameError("not a hello")
        self._greeted = True
        self._listener.launcher_connected(worker)
        reason = message.get("pipeError")
        if isinstance(reason, str) and self._output is not None:
            self._listener.pipe_is_small(_pipe_size(self._output), reason)
        if self._control is not None and self._output is not None:
            self._loop.add_reader(self._control, self._read_control)
            self._watch_output()

    def _adopt(self, descriptors: list[int]) -> None:
        modes = [os.fstat(descriptor).st_mode for descriptor in descriptors]
        fits = len(modes) == _HANDED_OVER and stat.S_ISFIFO(modes[0]) and stat.S_ISSOCK(modes[1])
        if not fits or self._output is not None:
            for descriptor in descriptors:
                os.close(descriptor)
            raise FrameError("not the two descriptors of a worker")
        os.set_blocking(descriptors[0], False)
        self._output = descriptors[0]
        self._control = socket.socket(fileno=descriptors[1])
        self._control.setblocking(False)

    def _watch_output(self) -> None:
        if self._output is not None:
            self._loop.add_reader(self._output, self._read_output_and_rest)

    def _read_output_and_rest(self) -> None:
        length = self._read_output()
        if self._output is None:
            return
        # Looked up each time, since user code can make its pipe smaller.
        if length < _FEW_BYTES and _pipe_size(self._output) >= PIPE_BYTES:
            self._loop.remove_reader(self._output)
            self._loop.call_later(_REST_SECONDS, self._watch_output)

    def _read_output(self) -> int:
        """Read once; returns how many bytes, 0 when there is nothing (more) to read."""
        if self._output is None:
            return 0
        try:
            data = os.read(self._output, _READ_BYTES)
        except BlockingIOError:
            return 0
        if not data:
            self._close_output()
            return 0
        # What the worker said before it wrote this must count as said before.
        self._drain_control()
        self._listener.output_received(data)
        return len(data)

    def _read_control(self) -> bool:
        """Read once; False when there is nothing (more) to read."""
        if self._control is None:
            return False
        try:
            data = self._control.recv(_READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        try:
            if not data:
                raise FrameError("the worker closed its control socket")
            for message in self._control_frames.feed(data):
                self._listener.worker_said(message)
        except FrameError:
            self._close_control()
            return False
        return True

    def _drain_control(self) -> None:
        while self._read_control():
            pass

    def _lose(self) -> None:
        if not self._lost:
            self._lost = True
            self._loop.create_task(self._lose_after_output())

    async def _lose_after_output(self) -> None:
        """Wait a moment for the end of the output: the kernel ends a container not all at once."""
        if self._launcher is not None:
            self._loop.remove_reader(self._launcher)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_OUTPUT_END_SECONDS):
                await self._output_ended.wait()
        self.drain()
        self._listener.launcher_lost()
        self.close()

    def _close_control(self) -> None:
        if self._control is not None:
            self._loop.remove_reader(self._control)
            self._control.close()
            self._control = None

    def _close_output(self) -> None:
        if self._output is not None:
            self._loop.remove_reader(self._output)
            os.close(self._output)
            self._output = None
            self._output_ended.set()


def _pipe_size(pipe: int) -> int:
    return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
