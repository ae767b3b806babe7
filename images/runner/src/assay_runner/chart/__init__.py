"""Draws a chart of a result, for every engine."""
