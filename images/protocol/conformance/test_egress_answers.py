"""What a runner says of the network of its Pod."""

from __future__ import annotations

import pytest

from runner_client import RunnerClient


def test_a_runner_says_what_became_of_its_attempt_to_connect(idle: RunnerClient) -> None:
    if "egress" not in idle.hello().get("features", []):
        pytest.skip("it is not a feature of this runner")
    answer = idle.request("GET", "/v1/egress")
    assert answer.status == 200
    assert answer.body["egress"] in ("refused", "connected", "unknown")
    assert idle.hello()["state"] == "Idle"


def test_a_runner_that_has_started_a_job_tries_nothing(fresh: RunnerClient) -> None:
    if "egress" not in fresh.hello().get("features", []):
        pytest.skip("it is not a feature of this runner")
    fresh.run("print(1)")
    assert fresh.request("GET", "/v1/egress").body == {"egress": "unknown"}
