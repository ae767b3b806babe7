"""The command ``assay``, as the wheel installs it: becomes the program, on the JVM beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from assay.class_archive import archive_of, create_in_background
from assay.libraries import IncompatibleLibrariesError, library_folders
from assay.program import Program, kind_of

EXIT_MACHINE = 5


def main() -> None:
    """Replaces this process by the program; exits with 5 if that is impossible."""
    arguments = sys.argv[1:]
    program = Program(Path(__file__).resolve().parent)
    try:
        folders = library_folders()
    except IncompatibleLibrariesError as error:
        sys.exit(_fail(str(error)))
    kind = kind_of(arguments)
    command = program.command(kind)
    archive = archive_of(program, kind)
    if archive.is_file():
        command.append(f"-XX:AOTCache={archive}")
    elif os.access(archive.parent, os.W_OK):
        create_in_background(program, kind, archive)
    if kind == "local" and "--once" in arguments:
        # A short run does not repay compiling with C2.
        command.append("-XX:TieredStopAtLevel=1")
    # The libraries of this environment, so that nothing is fetched or installed.
    os.environ["ASSAY_PYTHON"] = sys.executable
    os.environ["ASSAY_PYTHON_LIBRARIES"] = os.pathsep.join(map(str, folders))
    os.environ.setdefault("ASSAY_COMMAND", "assay")
    try:
        os.execv(command[0], [*command, "-jar", str(program.jar), *arguments])
    except OSError as error:
        sys.exit(_fail(f"{command[0]} cannot be started ({error.strerror}): reinstall the wheel"))


def _fail(sentence: str) -> int:
    print(f"assay: {sentence}", file=sys.stderr)
    return EXIT_MACHINE


if __name__ == "__main__":
    main()
