"""Validates messages of launcher and worker: once user code runs, they may be forged."""

from __future__ import annotations

import base64
import json
import re
import signal
from typing import Any, NamedTuple

from assay_runner.frames import FrameError, Message
from assay_runner.json_text import check
from assay_runner.stack import Frame
from assay_runner.supervisor.members import MAX_NAME_BYTES
from assay_runner.supervisor.tools import MAX_PARALLEL
from assay_runner.text import (
    MAX_MESSAGE_BYTES,
    MAX_TRACEBACK_BYTES,
    MAX_TYPE_BYTES,
    cut_middle,
)

MAX_ARGS_BYTES = 256 * 1024
MAX_BATCH_SIZE = 100
_MAX_DESCRIPTION_BYTES = 256 * 1024
# A value in base64, a traceback and a message of maximum size with every character escaped.
MAX_WORKER_FRAME_BYTES = 512 * 1024
# The paths of the files that come together, with every character escaped.
MAX_LAUNCHER_FRAME_BYTES = 16 * 1024
_MAX_NUMBER = 2**53
_ERROR_CODE = re.compile(r"[A-Z_]{1,64}")


class CodeError(NamedTuple):
    """Why the code failed, truncated to the protocol's limits."""

    type: str
    message: str
    line: int | None = None
    traceback: str | None = None
    code: str | None = None
    column: int | None = None

    def members(self) -> dict[str, object]:
        """Return the `error` member of the result."""
        return {
            "type": cut_middle(self.type, MAX_TYPE_BYTES),
            "message": cut_middle(self.message, MAX_MESSAGE_BYTES),
            "line": self.line,
            "traceback": None
            if self.traceback is None
            else cut_middle(self.traceback, MAX_TRACEBACK_BYTES),
            "code": self.code,
            "column": self.column,
        }


class WorkerResult(NamedTuple):
    """The worker's report of the job's result.

    Attributes:
        error: why the job failed.
        value: the description of a snapshot.
        json_text: what code returns, as JSON.
        only_with_exit_code: the error counts only if the process ends with this code.
    """

    error: CodeError | None
    value: object = None
    json_text: str | None = None
    only_with_exit_code: int | None = None


class KeptFrames(NamedTuple):
    """The worker's report of the frames that it has kept.

    Attributes:
        note: what was not kept, and why; None if everything was.
    """

    note: str | None


class Batch(NamedTuple):
    """Calls that were made together, which may be carried out at the same time.

    Attributes:
        first: the number of the first one.
        size: how many there are.
        max_parallel: how many may be under way at once.
    """

    first: int
    size: int
    max_parallel: int

    def members(self) -> dict[str, object]:
        """Return the `batch` member of the event."""
        return {"first": self.first, "size": self.size, "maxParallel": self.max_parallel}


class ToolCall(NamedTuple):
    """A tool that code calls.

    Attributes:
        number: of the call.
        batch: the calls that were made with it; None if it was made alone.
        server: the name of the server that has the tool.
        tool: its name there.
        args: JSON text in UTF-8, which nobody on its way reads.
    """

    number: int
    batch: Batch | None
    server: str
    tool: str
    args: bytes


class Exit(NamedTuple):
    """The launcher's report of the worker's exit.

    Attributes:
        code: exit code.
        signal: the signal that ended it.
        oom_killed: whether the kernel killed a process of its container for memory.
        cpu_ms: CPU time.
        peak_memory_bytes: peak memory.
        stack: where the script was when it was told to stop, the outermost frame first.
        errors: the end of what its libraries wrote to stderr, if that is no output.
    """

    code: int | None
    signal: int | None
    oom_killed: bool
    cpu_ms: int
    peak_memory_bytes: int
    stack: tuple[Frame, ...] = ()
    errors: str = ""

    def describe(self) -> str:
        """Describe in a sentence how the process ended."""
        if self.signal is not None:
            known = self.signal in signal.valid_signals()
            name = f" ({signal.strsignal(self.signal)})" if known else ""
            return f"The process was ended by signal {self.signal}{name}"
        return f"The process ended with exit code {self.code}"


def ready_timings(message: Message) -> dict[str, int]:
    """Return `importsMs` and `datasetMs` of a `ready` message.

    Raises:
        FrameError: if they are missing or not numbers.
    """
    return {name: _number(message.get(name)) for name in ("importsMs", "datasetMs")}


def tool_call(message: Message) -> ToolCall:
    """Return the validated content of a `tool_call` message.

    Raises:
        FrameError: if it is invalid.
    """
    try:
        args = base64.b64decode(_text(message.get("args")), validate=True)
        args.decode()
    except ValueError as error:
        raise FrameError(f"args: {error}") from None
    if len(args) > MAX_ARGS_BYTES:
        raise FrameError(f"the arguments of a call are over {MAX_ARGS_BYTES} bytes")
    batch = message.get("batch")
    return ToolCall(
        number=_number(message.get("call")),
        batch=None if batch is None else _batch(batch),
        server=_name(message.get("server")),
        tool=_name(message.get("tool")),
        args=args,
    )


def worker_result(message: Message) -> WorkerResult:
    """Return the validated content of a `result` message.

    Raises:
        FrameError: if it is invalid.
    """
    error, code = message.get("error"), message.get("onlyWithExitCode")
    return WorkerResult(
        error=None if error is None else _error(error),
        value=_value(message.get("value")),
        json_text=_json_text(message.get("valueJson")),
        only_with_exit_code=None if code is None else _number(code),
    )


def kept_frames(message: Message) -> KeptFrames:
    """Return the validated content of a `kept` message.

    Raises:
        FrameError: if it is invalid.
    """
    note = message.get("message")
    return KeptFrames(None if note is None else _text(note))


def collected_paths(message: Message) -> list[str]:
    """Return the paths of a `files` message.

    Raises:
        FrameError: if it is invalid.
    """
    return [_text(path) for path in _list(message.get("paths"))]


def collection_note(message: Message) -> str | None:
    """Return what a `collected` message says about files that were left out.

    Raises:
        FrameError: if it is invalid.
    """
    note = message.get("message")
    return None if note is None else _text(note)


def announced_exit_code(message: Message) -> int:
    """Return the exit code in an `ended` message.

    Raises:
        FrameError: if it has none.
    """
    return _number(message.get("code"))


def launcher_exit(message: Message) -> Exit:
    """Return the validated content of an `exited` message.

    Raises:
        FrameError: if it is invalid.
    """
    code, number = message.get("code"), message.get("signal")
    return Exit(
        code=None if code is None else _number(code),
        signal=None if number is None else _number(number),
        oom_killed=message.get("oomKilled") is True,
        cpu_ms=_number(message.get("cpuMs")),
        peak_memory_bytes=_number(message.get("peakMemoryBytes")),
        stack=tuple(_frame(frame) for frame in _list(message.get("stack", []))),
        errors=_text(message.get("errors", "")),
    )


def failure(message: Message) -> str:
    """Return the text of a `failed` message.

    Raises:
        FrameError: if it has none.
    """
    return _text(message.get("message"))


def _error(error: object) -> CodeError:
    if not isinstance(error, dict):
        raise FrameError("error is not an object")
    line, column, traceback = error.get("line"), error.get("column"), error.get("traceback")
    return CodeError(
        type=_text(error.get("type")),
        message=_text(error.get("message")),
        line=None if line is None else _number(line),
        traceback=None if traceback is None else _text(traceback),
        code=_error_code(error.get("code")),
        column=None if column is None else _number(column),
    )


def _batch(batch: object) -> Batch:
    if not isinstance(batch, dict):
        raise FrameError("batch is not an object")
    read = Batch(
        first=_number(batch.get("first")),
        size=_number(batch.get("size")),
        max_parallel=_number(batch.get("maxParallel")),
    )
    if not (1 <= read.size <= MAX_BATCH_SIZE and 1 <= read.max_parallel <= MAX_PARALLEL):
        raise FrameError("a batch is too large")
    return read


def _name(value: object) -> str:
    name = _text(value)
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise FrameError("a name cannot be encoded as UTF-8") from None
    if not 1 <= size <= MAX_NAME_BYTES:
        raise FrameError(f"a name has {size} bytes")
    return name


def _error_code(code: object) -> str | None:
    if code is None:
        return None
    if not isinstance(code, str) or not _ERROR_CODE.fullmatch(code):
        raise FrameError("not an error code")
    return code


def _json_text(value: object) -> str | None:
    if value is None:
        return None
    try:
        text = base64.b64decode(_text(value), validate=True).decode()
        check(text)
    except ValueError as error:
        raise FrameError(f"valueJson: {error}") from None
    return text


def _frame(frame: object) -> Frame:
    line, function = frame if isinstance(frame, list) and len(frame) == 2 else (None, None)
    return Frame(_number(line), _text(function))


def _value(value: object) -> object:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        raise FrameError("value is not JSON") from None
    data = text.encode("utf-8", "replace")
    if len(data) > _MAX_DESCRIPTION_BYTES:
        raise FrameError(f"value is over {_MAX_DESCRIPTION_BYTES} bytes")
    return json.loads(data)


def _list(value: Any) -> list[object]:  # noqa: ANN401 - anything may have been sent
    if not isinstance(value, list):
        raise FrameError("not a list")
    return value


def _text(value: Any) -> str:  # noqa: ANN401 - anything may have been sent
    if not isinstance(value, str):
        raise FrameError("not text")
    return value


def _number(value: Any) -> int:  # noqa: ANN401 - anything may have been sent
    if type(value) is not int or not 0 <= value <= _MAX_NUMBER:
        raise FrameError("not a number")
    return value
