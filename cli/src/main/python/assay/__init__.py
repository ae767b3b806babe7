"""Assay on one machine: one MCP endpoint where agents run SQL and Python over tables."""
