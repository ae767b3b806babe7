"""`python3 -I -m assay_runner.chart`: draws one chart for a worker in another language.

Reads a line of JSON once its libraries are imported: `{"table", "type", "output", "timeZone"}`,
the arguments of `draw`. Prints what that returns as a line of JSON. Exits with 0, or with 2 for a
malformed line; at the end of its input without a line it exits at once.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
from importlib.abc import MetaPathFinder
from typing import NoReturn


class _WithoutPandas(MetaPathFinder):
    """Hides pandas from pyarrow, which imports it for a quarter of a second and works without."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(name=fullname)


def main() -> NoReturn:
    """End the process as soon as the reply is written."""
    # The worker waits for both: imports make no garbage worth a search, and the interpreter takes
    # its time to remove what a process leaves anyway.
    gc.disable()
    status = _draw()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _draw() -> int:
    """Return the exit code."""
    sys.meta_path.insert(0, _WithoutPandas())
    with tempfile.TemporaryDirectory() as cache:
        # For where nobody has named a directory that can be written to.
        os.environ.setdefault("MPLCONFIGDIR", cache)
        from assay_runner.chart.draw import draw

        line = sys.stdin.readline()
        if not line:
            return 0
        try:
            request = json.loads(line)
            given = [request[name] for name in ("table", "type", "output", "timeZone")]
        except (ValueError, TypeError, KeyError):
            print("usage: a line of JSON with table, type, output and timeZone", file=sys.stderr)
            return 2
        print(json.dumps(draw(*given)), flush=True)
        return 0


if __name__ == "__main__":
    main()
