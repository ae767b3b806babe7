"""Writes a wheel: the same bytes for the same files."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dist.program import EPOCH

_LEVEL = 9


@dataclass(frozen=True)
class Metadata:
    """What a wheel says of itself."""

    name: str
    version: str
    tag: str
    summary: str
    requires_python: str
    requirements: tuple[str, ...]
    entry_points: Mapping[str, str]
    license_files: tuple[Path, ...]
    readme: str
    licence: str = "Apache-2.0"

    @property
    def file_name(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}-{self.tag}.whl"

    @property
    def dist_info(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}.dist-info"

    def metadata_file(self) -> str:
        """The text of METADATA."""
        lines = [
            "Metadata-Version: 2.4",
            f"Name: {self.name}",
            f"Version: {self.version}",
            f"Summary: {self.summary}",
            f"License-Expression: {self.licence}",
            *(f"License-File: {file.name}" for file in self.license_files),
            f"Requires-Python: {self.requires_python}",
            *(f"Requires-Dist: {requirement}" for requirement in self.requirements),
            "Description-Content-Type: text/markdown",
        ]
        return "\n".join([*lines, "", self.readme])

    def wheel_file(self) -> str:
        """The text of WHEEL."""
        purelib = "true" if self.tag.endswith("none-any") else "false"
        lines = ("Wheel-Version: 1.0", "Generator: assay-dist", f"Root-Is-Purelib: {purelib}")
        return "\n".join([*lines, f"Tag: {self.tag}", ""])

    def entry_points_file(self) -> str:
        """The text of entry_points.txt."""
        scripts = (f"{name} = {target}" for name, target in self.entry_points.items())
        return "\n".join(["[console_scripts]", *scripts, ""])


def write_wheel(metadata: Metadata, packages: Path, directory: Path) -> Path:
    """Writes the wheel with all files below `packages`; returns its path."""
    target = directory / metadata.file_name
    texts = {
        "METADATA": metadata.metadata_file(),
        "WHEEL": metadata.wheel_file(),
        "entry_points.txt": metadata.entry_points_file(),
        **{f"licenses/{file.name}": file.read_text() for file in metadata.license_files},
    }
    record = []
    with zipfile.ZipFile(target, "w") as wheel:
        for path in sorted(path for path in packages.rglob("*") if path.is_file()):
            name = path.relative_to(packages).as_posix()
            content = path.read_bytes()
            _add(wheel, name, content, bool(path.stat().st_mode & 0o100))
            record.append(_line(name, content))
        for name, text in texts.items():
            full = f"{metadata.dist_info}/{name}"
            _add(wheel, full, text.encode(), False)
            record.append(_line(full, text.encode()))
        record.append(f"{metadata.dist_info}/RECORD,,")
        _add(wheel, f"{metadata.dist_info}/RECORD", "\n".join([*record, ""]).encode(), False)
    return target


def _line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def _add(wheel: zipfile.ZipFile, name: str, content: bytes, executable: bool) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    # Jars are compressed already.
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(".jar") else zipfile.ZIP_DEFLATED
    wheel.writestr(entry, content, compresslevel=_LEVEL)
