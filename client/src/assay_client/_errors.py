"""The errors of this package, each with a code for programs and one sentence for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay_client._client import Run


class AssayError(Exception):
    """Something was not done; `str()` is one sentence: what, why, and what to do next.

    Attributes:
        code: one word for programs:

            - `Unreachable`: no connection; nothing was sent
            - `Tls`: no trusted connection; nothing was sent
            - `Disconnected`: the connection broke, or nothing came within the timeout; a request
              may have been carried out
            - `Unauthorized`, `Forbidden`, `NotFound`, `Conflict`, `Invalid`, `TooLarge`,
              `TooManyRequests`, `Unavailable`, `Refused`: the endpoint refused a request; `status`
              has the HTTP status
            - `NotAssay`: the response is not one of Assay
            - `RunFailed`: see `RunFailed`
            - `DatasetFailed`: a file could not be loaded as a dataset
            - `NameTaken`: the endpoint has another dataset of this name
            - `BadFile`: a file of this machine cannot be read, or changes while it is read
            - `NotSaved`: a file could not be written on this machine
            - `Usage`: an argument or an option is invalid
            - `Environment`: an environment variable is invalid, or this machine lacks something
            - `InProgress`: it takes longer, and continues
            - `Cancelled`: nobody waits for it any more
        status: the HTTP status, where the endpoint sent one.
        retry_after: seconds after which the endpoint wants to be asked again, if it named any.
        details: the error object that the endpoint sent; empty where there is none.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.retry_after = retry_after
        self.details = details or {}

    @property
    def message(self) -> str:
        """The sentence."""
        return str(self)

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later, as after a restart of the endpoint."""
        return self.code in {"Unreachable", "Disconnected", "TooManyRequests", "Unavailable"}


class RunFailed(AssayError):
    """A run ended in another phase than Succeeded.

    Attributes:
        run: the run, with its output, its error and its reason.
    """

    def __init__(self, message: str, run: Run) -> None:
        super().__init__("RunFailed", message)
        self.run = run
