"""Starts one worker process, fences it off, and ends everything when told to."""
