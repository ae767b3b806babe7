"""Sources that pandas does not read: there is no `df`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq

from assay_runner.frames import Message
from assay_runner.snapshot import description
from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.source import SourceRefusedError
from assay_runner.snapshot.source_files import SourceFiles

_FORMATS = ("csv", "tsv", "ndjson", "parquet")
_SAMPLE_ROWS = 1000


def has_frame(job: Message, size: int, limits: Limits) -> bool:
    """Return whether pandas is to read a source: as the job says, or by its size in bytes.

    Raises:
        SourceRefusedError: if the source is not to have a frame, but only pandas reads its format.
    """
    wanted = job.get("frame")
    if wanted is True or (wanted is None and size <= limits.frame_bytes):
        return True
    if job["format"] in _FORMATS:
        return False
    if wanted is False:
        raise SourceRefusedError(f"Without a frame, the format is {', '.join(_FORMATS)}.")
    raise LimitExceededError(
        f"The source is larger than {limits.frame_bytes} bytes (frameBytes). Above that, the format"
        f" is {', '.join(_FORMATS)}; frame: true has pandas read it anyway."
    )


def describe_files(files: SourceFiles) -> list[dict[str, object]]:
    """Describe the columns of Parquet files, as far as that takes no pass over them.

    Missing values are counted where the files have statistics, which nested columns have not.
    """
    with pq.ParquetFile(files.files[0]) as file:
        schema = file.schema_arrow
        batch = next(file.iter_batches(batch_size=_SAMPLE_ROWS), None)
    types = schema.empty_table().to_pandas(ignore_metadata=True).dtypes
    rows = batch if batch is not None else schema.empty_table()
    try:
        sample = rows.to_pandas(ignore_metadata=True)
    except (ValueError, OverflowError):
        # Python has no dates before the year 1 and after 9999.
        sample = rows.to_pandas(ignore_metadata=True, date_as_object=False)
    nulls = [0] * len(schema)
    for path in files.files:
        for position, count in _nulls(path):
            nulls[position] += count
    columns = description.columns_of(sample)
    for position, column in enumerate(columns):
        column["type"] = str(types.iloc[position])
        column["nulls"] = nulls[position]
    return columns


def _nulls(path: str) -> Iterator[tuple[int, int]]:
    """Return the position of columns and how many values are missing, by group of rows."""
    with pq.ParquetFile(path) as file:
        metadata = file.metadata
        leaves = [_leaves(field.type) for field in file.schema_arrow]
    for group in range(metadata.num_row_groups):
        leaf = 0
        for position, count in enumerate(leaves):
            statistics = metadata.row_group(group).column(leaf).statistics if count == 1 else None
            if statistics is not None and statistics.has_null_count:
                yield position, statistics.null_count
            leaf += count


def _leaves(data_type: Any) -> int:  # noqa: ANN401 - pyarrow has no types
    """Return how many columns of Parquet a type takes; at least 2 if it is nested."""
    if not data_type.num_fields:
        return 1
    return sum(_leaves(data_type.field(i).type) for i in range(data_type.num_fields))
