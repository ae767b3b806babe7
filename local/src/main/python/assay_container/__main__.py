"""Entry point: `python3 -I -S DIRECTORY`, with a specification as the first line of stdin.

What the container writes goes to stdout. One line on stderr says `started`, or `started in a memory
group` where the kernel keeps it to its memory, or why it could not be; another says `out of memory`
if the kernel has killed it for that. A `T` on stdin asks the container's process to end; the end of
stdin kills all of it, so that nothing outlives whoever has started this.
"""

from __future__ import annotations

import os
import sys

# A directory that is run is where modules are looked for, and this is one inside a package.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from assay_container.container import Container
from assay_container.control import Control
from assay_container.specification import parse


def main() -> int:
    """Return the exit code of the container: 128 and the number of the signal that ended it."""
    # Ctrl-C in a terminal is for whoever has started this, not for its containers.
    os.setsid()
    control = Control(0)
    line = control.read_line()
    if line is None:
        return 0
    return Container(parse(line), control).run()


if __name__ == "__main__":
    sys.exit(main())
