"""Writes a Parquet file in the shape of web analytics: few columns of many kinds, skewed values.

Runs on its own, with numpy and pyarrow: `images/runner/environment` prints the path of a Python
environment that has both.
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 5_000_000
_BATCH = 500_000
_USERS = 400_000
_HOSTS = 900
_PHRASES = 60_000
_MODELS = 120
_FIRST_SECOND = 1_372_636_800  # 2013-07-01
_SECONDS = 31 * 24 * 60 * 60
_WITH_PHRASE = 0.13
_MOBILE = 0.06
_ADVERTISED = 0.006
_REFRESHED = 0.08


def _skewed(random: np.random.Generator, count: int, most: int) -> np.ndarray:
    """Numbers below `most`, the lower ones far more often."""
    return np.minimum(random.zipf(1.3, count) - 1, most - 1)


def _texts(random: np.random.Generator, count: int, share: float, names: np.ndarray) -> np.ndarray:
    chosen = names[_skewed(random, count, len(names))]
    return np.where(random.random(count) < share, chosen, "")


def batch(random: np.random.Generator, first: int, count: int) -> pa.Table:
    """Rows from number `first`."""
    seconds = _FIRST_SECOND + random.integers(0, _SECONDS, count)
    hosts = np.array(
        [f"https://{'shop' if i % 7 == 0 else 'site'}{i}.example/" for i in range(_HOSTS)]
    )
    phrases = np.array([f"phrase {i * 7919 % 100_003}" for i in range(_PHRASES)])
    models = np.array([f"model-{i}" for i in range(_MODELS)])
    pages = np.char.mod("page/%d", _skewed(random, count, 5000))
    return pa.table(
        {
            "watch_id": np.arange(first, first + count) * 2_654_435_761 % 2**53,
            "event_time": pa.array(seconds, pa.timestamp("s")),
            "event_date": pa.array((seconds // 86_400).astype("int32"), pa.date32()),
            "counter_id": _skewed(random, count, 6000).astype("int32"),
            "user_id": _skewed(random, count, _USERS) * 1_000_003,
            "region_id": _skewed(random, count, 5000).astype("int32"),
            "is_refresh": (random.random(count) < _REFRESHED).astype("int16"),
            "resolution_width": random.choice([0, 1024, 1280, 1366, 1920], count).astype("int16"),
            "adv_engine_id": np.where(
                random.random(count) < _ADVERTISED, random.integers(1, 60, count), 0
            ).astype("int16"),
            "search_engine_id": random.integers(0, 40, count).astype("int16"),
            "search_phrase": _texts(random, count, _WITH_PHRASE, phrases),
            "mobile_phone_model": _texts(random, count, _MOBILE, models),
            "url": np.char.add(hosts[_skewed(random, count, _HOSTS)], pages),
        }
    )


def write(path: str, rows: int = ROWS, seed: int = 62) -> None:
    """Write the file; the same seed gives the same rows."""
    random = np.random.default_rng(seed)
    writer = None
    for first in range(0, rows, _BATCH):
        table = batch(random, first, min(_BATCH, rows - first))
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    write(sys.argv[1])
