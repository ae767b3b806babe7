"""One module for each row of what is measured, and what they share."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.kubernetes import Kubernetes, Object
from bench.memory_limit import MemoryLimit
from bench.pods import wait_until_alone
from bench.scripts import peer as peers
from bench.scripts.gateway import Components
from bench.scripts.peer import Peer, PeerProgram
from bench.scripts.script_class import ScriptClass
from bench.scripts.script_client import Reply, ScriptClient
from bench.scripts.tool_server import SERVER
from bench.scripts.upstream import Upstream
from bench.subjects import FrontEnd, runs_path

ASSAY = "Assay"
PEER = peers.NAME
_RELIST_SECONDS = 1.0


@dataclass(frozen=True)
class Setting:
    """What phases use.

    Attributes:
        namespace: that of runs and Pods.
        front_end: Assay by REST.
        assay: Assay by MCP.
        script_class: that of the scripts, without warm Pods when a phase begins.
        upstream: the server of the tools, which is connected.
        peer: mcpproxy-go, if there is one to compare with.
        rounds: how often what varies is repeated.
        kubectl, kubeconfig: by which a process of a phase reaches the API server.
        context: name of the dev/cluster.
        results: folder of results.
    """

    kubernetes: Kubernetes
    namespace: str
    front_end: FrontEnd
    assay: ScriptClient
    script_class: ScriptClass
    upstream: Upstream
    peer: PeerProgram | None
    rounds: int
    kubectl: Path
    kubeconfig: Path
    context: str
    results: Path

    @property
    def components(self) -> Components:
        """The Pods of Assay itself."""
        return Components(self.kubernetes, self.context)

    @property
    def conditions(self) -> Mapping[str, str]:
        """Those of the peer, for a result."""
        return {} if self.peer is None else self.peer.conditions

    @property
    def absent(self) -> Sequence[str]:
        """The peer, if there is none."""
        return [f"{PEER} ({peers.OPTION})"] if self.peer is None else []

    @contextmanager
    def serving_peer(self, limit: MemoryLimit | None = None) -> Iterator[Peer | None]:
        """A new process of the peer, while it is entered; None if there is no peer."""
        if self.peer is None:
            yield None
        else:
            with self.peer.serve(SERVER, self.upstream.url, limit) as serving:
                yield serving

    def clients(self, peer: Peer | None) -> Mapping[str, ScriptClient]:
        """Whoever runs scripts: Assay, and the peer if there is one."""
        found = {ASSAY: self.assay}
        if peer is not None:
            found[PEER] = peer.client()
        return found

    def run(self, name: str) -> Object:
        """The object of a run."""
        return self.kubernetes.get(f"{runs_path(self.namespace)}/{name}")

    def refill(self, reply: Reply) -> Object:
        """Have all warm Pods after a script of Assay; returns what its run says of its Pod."""
        pod: Object = self.run(reply.run)["status"]["pod"]
        # It may still look idle.
        self.script_class.pool.refill({pod["name"]})
        return pod

    def settle(self) -> None:
        """Wait until no Pod of an earlier run is left, and for a part of a second.

        The kubelet looks at its containers once a second, and a Pod that is created right after
        the end of another one would always meet the same moment of that second.
        """
        wait_until_alone(self.kubernetes, self.namespace)
        time.sleep(random.uniform(0, _RELIST_SECONDS))
