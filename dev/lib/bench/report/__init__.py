"""What phases have measured: results, percentiles, tables, ranges, files and pictures."""
