"""One analysis against a real endpoint: that of ASSAY_ENDPOINT, such as a local mode."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay_client import AssayError, Client, RunFailed
from assay_client._http import find_endpoint

# Read before the tests get an environment of their own.
SERVING = os.environ.get("ASSAY_ENDPOINT")
KEY = find_endpoint()._key if SERVING else None
SOURCES = Path(__file__).parents[1] / "src"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(SERVING is None, reason="ASSAY_ENDPOINT names no endpoint"),
]


@pytest.fixture
def client() -> Client:
    return Client(SERVING, KEY)


@pytest.fixture
def name(client: Client) -> Iterator[str]:
    """Of a dataset that nobody else has, and that is deleted afterwards."""
    unique = f"client test {uuid.uuid4().hex[:8]}"
    yield unique
    for dataset in client.datasets():
        if dataset.name == unique:
            client.delete_dataset(unique)


def test_a_file_is_loaded_queried_and_analysed(client: Client, name: str, tmp_path: Path) -> None:
    file = tmp_path / "Größe 1.csv"
    file.write_text("region;units\n" + "".join(f"r{i};{i}\n" for i in range(900)), encoding="utf-8")
    loaded = client.load(name, file, options={"sep": ";"})
    assert (loaded.rows, loaded.columns) == (900, [("region", "str"), ("units", "int64")])
    with pytest.raises(AssayError) as taken:
        client.load(name, file)
    assert taken.value.code == "Conflict"

    table = name.replace(" ", "_")
    assert client.query(f"SELECT sum(units) FROM {table}").rows == [[404550]]
    # More than the status of a run has room for.
    all_rows = client.query(f"SELECT *, repeat('x', 90) AS filler FROM {table} ORDER BY units")
    assert [row[1] for row in all_rows.rows] == list(range(900))

    code = "print(df.units.max()); df.head(3).to_csv('artifacts/head.csv', index=False)"
    run = client.run(code, datasets=[name])
    assert run.output == "899\n"
    assert client.artifact(run, "artifacts/head.csv") == b"region,units\nr0,0\nr1,1\nr2,2\n"
    assert client.run(code, datasets=[name], idempotency_key=f"{name[-8:]}").name == (
        client.run(code, datasets=[name], idempotency_key=f"{name[-8:]}").name
    )
    with pytest.raises(RunFailed, match="KeyError") as failed:
        client.run("print('before'); df['regoin']", datasets=[name])
    assert failed.value.run.output == "before\n"
    assert failed.value.run.error["line"] == 1


def test_the_bridge_uploads_a_table_and_again_after_a_change(
    client: Client, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "Daten ä"
    folder.mkdir()
    environment = {**os.environ, "ASSAY_ENDPOINT": SERVING or "", "ASSAY_API_KEY": KEY or ""}
    params = {"name": "execute_custom_analytics_code"}
    params["arguments"] = {"dataset_name": name, "python_code": "print(df.a.tolist())"}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
    ]  # fmt: skip
    for content, printed in (("a\n1\n", "[1]\n"), ("a\n1\n22\n", "[1, 22]\n")):
        (folder / f"{name}.csv").write_text(content)
        done = subprocess.run(
            [sys.executable, "-m", "assay_client", "mcp-stdio", "--data", folder],
            input="".join(json.dumps(message) + "\n" for message in messages),
            capture_output=True,
            text=True,
            cwd=SOURCES,
            env=environment,
            check=True,
        )
        replies = {reply.get("id"): reply for reply in map(json.loads, done.stdout.splitlines())}
        assert replies[0]["result"]["protocolVersion"] == "2025-06-18"
        assert replies[1]["result"]["content"][0]["text"] == printed, done.stderr
