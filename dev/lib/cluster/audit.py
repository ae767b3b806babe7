"""The API server's audit log: every change that Assay itself makes.

One JSON line a request, as Kubernetes' audit.k8s.io/v1 Event without bodies, written before the
request is answered. A file of 100 MB is put aside, and one such file is kept.
"""

from __future__ import annotations

import json

from cluster import settings
from cluster.settings import Paths


def policy() -> dict[str, object]:
    """Changes by service accounts of the system namespace, once each; nothing else."""
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived", "ResponseStarted", "Panic"],
        "rules": [
            {
                "level": "Metadata",
                "userGroups": [f"system:serviceaccounts:{settings.SYSTEM_NAMESPACE}"],
                "verbs": ["create", "update", "patch", "delete", "deletecollection"],
            },
            {"level": "None"},
        ],
    }


def arguments(paths: Paths) -> list[str]:
    """Writes the policy and returns the API server's arguments for it."""
    file = paths.config / "audit-policy.json"
    file.write_text(json.dumps(policy(), indent=2))
    return [
        f"--audit-policy-file={file}",
        f"--audit-log-path={paths.audit_log}",
        "--audit-log-format=json",
        "--audit-log-maxsize=100",
        "--audit-log-maxbackup=1",
    ]
