"""The one error that a command reports as a single line."""


class ClusterError(Exception):
    """Something the reader can act on; its text is one line."""
