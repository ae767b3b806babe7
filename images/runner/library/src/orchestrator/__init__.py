"""Functions for code that agents write."""
