"""The process of the stand-in node, in a network namespace that its parent has set up.

`python -m bench.stand_in KUBECTL KUBECONFIG ADDRESS NETWORK` begins with the first line of its
input, prints a line once the node is registered, and ends with its input.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from pathlib import Path

from bench.kubernetes import Kubernetes
from bench.stand_in.kubelet import Kubelet


async def _serve(kubectl: Path, kubeconfig: Path, address: str, network: str) -> None:
    await Kubelet(Kubernetes(kubectl, kubeconfig), address, network).start()
    print("registered", flush=True)
    await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    """Serve until the input ends."""
    kubectl, kubeconfig, address, network = sys.argv[1:]
    sys.stdin.readline()
    # Thousands of Pods live at a time, which a full collection would look at again and again.
    gc.freeze()
    asyncio.run(_serve(Path(kubectl), Path(kubeconfig), address, network))


if __name__ == "__main__":
    main()
