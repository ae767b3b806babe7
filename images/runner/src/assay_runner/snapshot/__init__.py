"""Makes a dataset snapshot: the exact source bytes, the frame that pandas reads, a description."""
