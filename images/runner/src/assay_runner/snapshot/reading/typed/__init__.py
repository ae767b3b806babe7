"""Columns of values that have types, such as those of JSON and of workbooks."""
