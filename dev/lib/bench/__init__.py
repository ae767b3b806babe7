"""dev/bench: measures an installed Assay on a real cluster."""
