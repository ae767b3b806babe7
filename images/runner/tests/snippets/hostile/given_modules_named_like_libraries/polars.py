from polars import DataFrame
