"""The one error that dev/e2e reports as a single line."""


class E2eError(Exception):
    """A stage could not be completed; the text is one line."""
