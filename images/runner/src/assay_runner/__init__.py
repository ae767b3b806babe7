"""Runs one job in a single-use Pod; `images/protocol/README.md` is the contract it keeps."""
