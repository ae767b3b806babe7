"""Jobs whose code returns a value: Polars, and Python with a reply."""
