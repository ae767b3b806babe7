"""Reads JSON, JSON lines and inline records."""
