"""The error codes of the protocol and their HTTP status."""

from __future__ import annotations

import enum


class Code(enum.Enum):
    """Error codes, each with its HTTP status."""

    MALFORMED = ("Malformed", 400)
    BAD_SIGNATURE = ("BadSignature", 401)
    UNKNOWN_KEY = ("UnknownKey", 401)
    WRONG_POD = ("WrongPod", 403)
    WRONG_NONCE = ("WrongNonce", 403)
    EXPIRED = ("Expired", 403)
    NOT_FOUND = ("NotFound", 404)
    METHOD_NOT_ALLOWED = ("MethodNotAllowed", 405)
    RUN_MISMATCH = ("RunMismatch", 409)
    BYTES_CHANGED = ("BytesChanged", 409)
    NOT_STAGED = ("NotStaged", 409)
    NOT_STARTED = ("NotStarted", 409)
    REFUSED = ("Refused", 409)
    STARTED = ("Started", 409)
    CALL_NOT_OPEN = ("CallNotOpen", 409)
    UPLOAD_REFUSED = ("UploadRefused", 409)
    UPLOAD_MISMATCH = ("UploadMismatch", 409)
    ARTIFACT_LOST = ("ArtifactLost", 409)
    TOO_LARGE = ("TooLarge", 413)
    WRONG_KIND = ("WrongKind", 422)
    NOT_READY = ("NotReady", 503)
    UPLOAD_FAILED = ("UploadFailed", 503)

    @property
    def text(self) -> str:
        """The code in the answer."""
        return self.value[0]

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.value[1]


class Refusal(Exception):  # noqa: N818 - the protocol's term
    """A request that is answered with an error."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
