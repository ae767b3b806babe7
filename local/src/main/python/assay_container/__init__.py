"""Runs one container's process for local mode: fenced off, watched, and ended as a whole."""
