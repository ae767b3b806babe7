"""Serves the runner protocol, keeps time and keeps every event until it is stored elsewhere.

Most of what a short run costs here is the start, so values are named tuples: generating the code of
dataclasses took a seventh of it.
"""
