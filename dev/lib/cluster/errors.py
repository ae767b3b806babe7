"""The one error that a command reports as a single line."""


class ClusterError(Exception):
    """An error that the user can act on; its text is one line."""
