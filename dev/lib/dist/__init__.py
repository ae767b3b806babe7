"""Packages of Assay for one machine: a wheel, and an archive with everything inside."""
