"""`python3 -I -m assay_runner.chart`: draws one chart for a worker in another language.

Reads a line of JSON once its libraries are imported: `{"table", "type", "output"}`, the arguments
of `draw`. Prints what that returns as a line of JSON. Exits with 0, or with 2 for a malformed line;
at the end of its input without a line it exits at once.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile


def main() -> int:
    """Return the exit code."""
    with tempfile.TemporaryDirectory() as cache:
        # For where nobody has named a directory that can be written to.
        os.environ.setdefault("MPLCONFIGDIR", cache)
        from assay_runner.chart.draw import draw

        line = sys.stdin.readline()
        if not line:
            return 0
        try:
            request = json.loads(line)
            table, chart_type, output = (request[name] for name in ("table", "type", "output"))
        except (ValueError, TypeError, KeyError):
            print("usage: a line of JSON with table, type and output", file=sys.stderr)
            return 2
        print(json.dumps(draw(table, chart_type, output)), flush=True)
        return 0


if __name__ == "__main__":
    sys.exit(main())
