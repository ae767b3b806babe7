"""The images of this project and what each is built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cluster.settings import REPOSITORY

RUNNER = "runner"
JVM_RUNNER = "jvm-runner"
TRAINING = "training"


class Base(Enum):
    """The base of an image: the official image, and our equivalent."""

    DEBIAN = ("docker.io/library/debian:bookworm-slim", "localhost/assay-base/debian:bookworm")
    JAVA = ("docker.io/library/eclipse-temurin:25-jre", "localhost/assay-base/java:25")

    def __init__(self, official: str, local: str) -> None:
        self.official = official
        self.local = local


@dataclass(frozen=True)
class Image:
    """One image: `context` is the only folder its Containerfile can copy from.

    `base` is an image from elsewhere, or the name of one of ours.
    """

    name: str
    base: Base | str
    context: Path
    module: str | None = None
    """The Maven module that makes the context, or what is copied from it."""
    is_trained: bool = False
    """Whether the program is copied from the image of the training, with its AOT cache."""
    is_delivered: bool = True
    """Whether it is loaded or pushed; the others are only copied from."""

    @property
    def containerfile(self) -> Path:
        return REPOSITORY / "images" / self.name / "Containerfile"

    @property
    def repository(self) -> str:
        return f"assay/{self.name}"


IMAGES = (
    Image(RUNNER, Base.DEBIAN, REPOSITORY / "images" / "runner"),
    Image(
        JVM_RUNNER,
        RUNNER,
        REPOSITORY / "images" / "jvm-runner" / "target" / "dist",
        "images/jvm-runner",
    ),
    Image(TRAINING, Base.JAVA, REPOSITORY, "images/training", is_delivered=False),
    Image("operator", Base.JAVA, REPOSITORY / "images" / "operator", is_trained=True),
    Image("mcp-frontend", Base.JAVA, REPOSITORY / "images" / "mcp-frontend", is_trained=True),
    Image("tool-gateway", Base.JAVA, REPOSITORY / "images" / "tool-gateway", is_trained=True),
)
"""In the order in which they are built: one that others need comes first."""


def choose(names: Sequence[str] | None) -> list[Image]:
    """The named images and those that they need, or all; in the order of their builds."""
    if not names:
        return list(IMAGES)
    wanted = set(names)
    for image in reversed(IMAGES):
        if image.name in wanted and isinstance(image.base, str):
            wanted.add(image.base)
        if image.name in wanted and image.is_trained:
            wanted.add(TRAINING)
    return [image for image in IMAGES if image.name in wanted]


def build_arguments(image: Image, base: str, tag: str, packages: str) -> dict[str, str]:
    """The arguments of an image's Containerfile.

    `tag` is that of all of our images. `packages` are further ones for Python, which the runner
    has, and the images that stand on it.
    """
    arguments = {"BASE": base}
    if packages and image.name == RUNNER:
        arguments["PACKAGES"] = packages
    if image.is_trained:
        arguments["TRAINING"] = f"localhost/assay/{TRAINING}:{tag}"
    return arguments
