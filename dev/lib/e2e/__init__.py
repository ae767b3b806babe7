"""dev/e2e: installs Assay on the development cluster and runs the scenarios against it."""
