"""Reads delimited text: texts that all values of a column give a type."""
