"""Runs Python code with its libraries imported and its datasets open."""
