"""The images of this project and what each is built from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cluster.settings import REPOSITORY


class Base(Enum):
    """The base of an image: the official image, and our equivalent."""

    DEBIAN = ("docker.io/library/debian:bookworm-slim", "localhost/assay-base/debian:bookworm")
    JAVA = ("docker.io/library/eclipse-temurin:25-jre", "localhost/assay-base/java:25")

    def __init__(self, official: str, local: str) -> None:
        self.official = official
        self.local = local


@dataclass(frozen=True)
class Image:
    """One image: `context` is the only folder its Containerfile can copy from."""

    name: str
    base: Base
    context: Path

    @property
    def containerfile(self) -> Path:
        return REPOSITORY / "images" / self.name / "Containerfile"

    @property
    def repository(self) -> str:
        return f"assay/{self.name}"


IMAGES = (
    Image("runner", Base.DEBIAN, REPOSITORY / "images" / "runner"),
    Image("operator", Base.JAVA, REPOSITORY / "operator" / "target" / "dist"),
    Image("mcp-frontend", Base.JAVA, REPOSITORY / "mcp-frontend" / "target" / "dist"),
)
