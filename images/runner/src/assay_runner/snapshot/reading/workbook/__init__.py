"""Reads a sheet of a workbook."""
