"""Starts one worker process, confines it, and kills all processes on request."""
