"""Makes a fork server of the Python that is started with this directory on its path."""

import os
import sys

_DIRECTORY = os.environ["PYTHONPATH"]
_TESTS = os.path.dirname(_DIRECTORY)
sys.path.remove(_DIRECTORY)
sys.path.insert(0, _TESTS)

import fork_server  # noqa: E402
import own_kinds  # noqa: E402

sys.path.remove(_TESTS)
own_kinds.register()
fork_server.serve(*os.environ["FORK_SERVER"].split())
