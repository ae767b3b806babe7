"""Builds the project's container images and delivers them to a cluster or registry."""
