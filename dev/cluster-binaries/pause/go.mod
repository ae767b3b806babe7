module assay.dev/cluster-binaries/pause

go 1.24.0
