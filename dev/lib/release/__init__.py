"""A release: images, chart, packages, lists of their components, checksums and a signature."""
