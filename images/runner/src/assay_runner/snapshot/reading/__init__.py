"""Reads a source so that each value is kept as it was, or what was changed is named in a note.

Types are decided by all values of a column. The same rules hold for sources of all sizes.
"""

READING = 2
"""The number of these rules: a snapshot has it, and one that was read by earlier ones less."""
