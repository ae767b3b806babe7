"""Serves the runner protocol, keeps time and keeps every event until it is stored elsewhere."""
