"""The one error that the generator reports."""


class ValuesError(Exception):
    """values.yaml lacks something; the text names the value or definition."""
