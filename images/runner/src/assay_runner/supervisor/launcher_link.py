"""The supervisor's connection to the launcher, with the output pipe and the control socket."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import socket
import stat
from collections.abc import Callable, Iterable
from typing import Protocol

from assay_runner.frames import (
    MAX_DESCRIPTORS,
    PIPE_BYTES,
    FrameError,
    FrameReader,
    Message,
    encode,
)
from assay_runner.supervisor.descriptors import Descriptors
from assay_runner.supervisor.send_queue import SendQueue
from assay_runner.supervisor.worker_messages import (
    MAX_LAUNCHER_FRAME_BYTES,
    MAX_WORKER_FRAME_BYTES,
    collected_paths,
)

_READ_BYTES = 256 * 1024
# A pause between reads, so that a writer of short lines does not wake this process for each line.
# Only a pipe of full size can hold the output of the pause, which is shorter than BATCH_SECONDS.
_PAUSE_SECONDS = 0.005
_SMALL_READ_BYTES = 64 * 1024
_HANDED_OVER = 2
_OUTPUT_END_SECONDS = 0.5
# More than the largest pipe holds. Bounds the drain if a writer survives.
_MAX_DRAIN_READS = 64


class LinkListener(Protocol):
    """Receives messages and output."""

    def launcher_connected(self, worker: str) -> None:
        """The launcher reported which worker it has started."""

    def pipe_is_small(self, size: int, reason: str) -> None:
        """The output pipe is smaller than requested, so output is slower."""

    def output_received(self, data: bytes) -> None:
        """The worker wrote output."""

    def worker_message(self, message: Message) -> None:
        """The worker sent a message.

        Raises:
            FrameError: to close the control socket.
        """

    def control_closed(self) -> None:
        """No message can be exchanged with the worker any more."""

    def launcher_message(self, message: Message) -> None:
        """The launcher sent a message; what the worker has sent so far came before.

        Raises:
            FrameError: to disconnect the launcher.
        """

    def files_collected(self, paths: list[str], descriptors: list[int]) -> None:
        """The launcher handed over files, which are the listener's to close."""

    def launcher_lost(self) -> None:
        """The launcher disconnected; called once, after all remaining messages and output."""


class LauncherLink:
    """Accepts exactly one launcher, then stops listening.

    Args:
        path: path of the unix socket; an existing one is replaced.
        listener: receives messages and output.
    """

    def __init__(self, path: str, listener: LinkListener) -> None:
        self._path = path
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._server: socket.socket | None = None
        self._launcher: socket.socket | None = None
        self._control: socket.socket | None = None
        self._output: int | None = None
        self._descriptors = Descriptors()
        self._launcher_frames = FrameReader(MAX_LAUNCHER_FRAME_BYTES)
        self._control_frames = FrameReader(MAX_WORKER_FRAME_BYTES)
        self._to_worker: SendQueue | None = None
        self._output_ended = asyncio.Event()
        self._greeted = False
        self._lost = False

    def listen(self) -> None:
        """Listen for the launcher.

        Raises:
            OSError: if the socket cannot be created.
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

    def send_to_worker(
        self, frames: Iterable[bytes], sent: Callable[[], None] | None = None
    ) -> None:
        """Send frames to the worker as `SendQueue.put` does, unless the socket is closed."""
        if self._to_worker is not None:
            self._to_worker.put(frames, sent)

    def tell_launcher(self, message: Message) -> None:
        """Send the launcher a message, unless it is disconnected."""
        if self._launcher is not None:
            with contextlib.suppress(OSError):
                self._launcher.send(encode(message))

    def hand_over(self, messages: Iterable[tuple[Message, list[int]]]) -> None:
        """Send the launcher messages with descriptors, unless it is disconnected.

        Raises:
            OSError: if they cannot be sent at once.
        """
        for message, descriptors in messages:
            if self._launcher is not None:
                frame = encode(message)
                if socket.send_fds(self._launcher, [frame], descriptors) < len(frame):
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def drain(self) -> None:
        """Read the remaining messages and output of the worker without blocking."""
        self._drain_control()
        for _ in range(_MAX_DRAIN_READS):
            if not self._read_output():
                break

    def close(self) -> None:
        """Close the connection; a launcher that is still connected then kills all processes."""
        self._stop_listening()
        self._close_control()
        self._close_output()
        self._descriptors.close()
        if self._launcher is not None:
            self._loop.remove_reader(self._launcher)
            self._launcher.close()
            self._launcher = None

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
            data, descriptors, _, _ = socket.recv_fds(self._launcher, 4096, MAX_DESCRIPTORS)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        try:
            self._descriptors.add(descriptors)
            if not data:
                raise FrameError("the launcher hung up")
            for message in self._launcher_frames.feed(data):
                self._handle_launcher_message(message)
        except FrameError:
            self._disconnect()

    def _handle_launcher_message(self, message: Message) -> None:
        if message.get("type") == "files":
            paths = collected_paths(message)
            self._listener.files_collected(paths, self._descriptors.take(len(paths)))
            return
        if message.get("type") != "hello":
            self.drain()
            self._listener.launcher_message(message)
            return
        self._adopt(self._descriptors.take(_HANDED_OVER))
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
        self._to_worker = SendQueue(self._control)

    def _watch_output(self) -> None:
        if self._output is not None:
            self._loop.add_reader(self._output, self._read_output_and_pause)

    def _read_output_and_pause(self) -> None:
        length = self._read_output()
        if self._output is None:
            return
        # Read each time, since user code can shrink its pipe.
        if length < _SMALL_READ_BYTES and _pipe_size(self._output) >= PIPE_BYTES:
            self._loop.remove_reader(self._output)
            self._loop.call_later(_PAUSE_SECONDS, self._watch_output)

    def _read_output(self) -> int:
        """Read once; returns the number of bytes, 0 if there is nothing to read."""
        if self._output is None:
            return 0
        try:
            data = os.read(self._output, _READ_BYTES)
        except BlockingIOError:
            return 0
        if not data:
            self._close_output()
            return 0
        # Messages that the worker sent before this output must be handled before it.
        self._drain_control()
        self._listener.output_received(data)
        return len(data)

    def _read_control(self) -> bool:
        """Read once; returns False if there is nothing to read."""
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
                self._listener.worker_message(message)
        except FrameError:
            self._close_control()
            self._listener.control_closed()
            return False
        return True

    def _drain_control(self) -> None:
        while self._read_control():
            pass

    def _disconnect(self) -> None:
        if not self._lost:
            self._lost = True
            self._loop.create_task(self._disconnect_after_output())

    async def _disconnect_after_output(self) -> None:
        """Wait a moment for the end of the output: processes of a container do not end at once."""
        if self._launcher is not None:
            self._loop.remove_reader(self._launcher)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_OUTPUT_END_SECONDS):
                await self._output_ended.wait()
        self.drain()
        self._listener.launcher_lost()
        self.close()

    def _close_control(self) -> None:
        if self._to_worker is not None:
            self._to_worker.close()
            self._to_worker = None
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
