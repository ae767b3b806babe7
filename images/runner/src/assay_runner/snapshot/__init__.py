"""Makes a dataset snapshot: exact source bytes, the frame pandas reads, and a description."""
