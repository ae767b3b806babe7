"""Ed25519 signatures of requests."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assay_runner.supervisor.refusals import Code, Refusal

PREFIX = b"assay-runner/v1\n"
_SIGNATURE_BYTES = 64


class Verifier:
    """Checks signatures against the Pod's public keys (32 raw bytes each, by key ID)."""

    def __init__(self, public_keys: Mapping[str, bytes]) -> None:
        self._keys = {
            key_id: Ed25519PublicKey.from_public_bytes(raw) for key_id, raw in public_keys.items()
        }

    def check(self, key_id: str | None, signature: str | None, body: bytes) -> None:
        """Check the signature of the exact body.

        Raises:
            Refusal: BadSignature or UnknownKey.
        """
        if key_id is None or signature is None:
            raise Refusal(Code.BAD_SIGNATURE, "the request is not signed")
        key = self._keys.get(key_id)
        if key is None:
            raise Refusal(Code.UNKNOWN_KEY, "unknown key")
        try:
            raw = base64.b64decode(signature, validate=True)
            if len(raw) != _SIGNATURE_BYTES:
                raise ValueError
            key.verify(raw, PREFIX + body)
        except (ValueError, InvalidSignature):
            raise Refusal(Code.BAD_SIGNATURE, "the signature is invalid") from None
