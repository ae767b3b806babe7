"""A real single-node Kubernetes for development, from packages alone."""
