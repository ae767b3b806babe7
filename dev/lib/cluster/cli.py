"""Command line of dev/cluster."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cluster import lifecycle, settings
from cluster.binaries import ensure_binaries
from cluster.errors import ClusterError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/cluster",
        description="A real Kubernetes for development, from packages alone.",
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--context",
        default=settings.DEFAULT_CONTEXT,
        help="name of the cluster and of its kubeconfig context (default: %(default)s)",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, text in (
        ("build", "compile the cluster's programs that the cache lacks, which up does, too"),
        ("up", "start the cluster or repair it, and write .dev/kubeconfig"),
        ("down", "end the cluster and remove its state"),
        ("status", "show each component; exit 0 only if all is well"),
    ):
        verbs.add_parser(verb, parents=[shared], help=text, description=text)
    verbs.choices["up"].add_argument(
        "--fsync",
        action="store_true",
        help="etcd waits for the disk on each write, as elsewhere; for measurements",
    )
    verbs.choices["up"].add_argument(
        "--nodes",
        type=int,
        choices=(1, 2),
        default=1,
        help="2: add a second node, with the images that are there; it stays until down",
    )
    verbs.choices["up"].add_argument(
        "--gvisor",
        action="store_true",
        help="add the RuntimeClass gvisor; it stays until down",
    )
    text = "import image archives (docker-archive or OCI) into the cluster"
    load = verbs.add_parser("load", parents=[shared], help=text, description=text)
    load.add_argument("archives", nargs="+", type=Path, metavar="FILE")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb; returns the exit status."""
    options = _parser().parse_args(arguments)
    # Users of Pods read what is unpacked and prepared here.
    os.umask(0o022)
    try:
        paths = settings.Paths(options.context)
        match options.verb:
            case "build":
                ensure_binaries()
            case "up":
                lifecycle.up(
                    paths, fsync=options.fsync, nodes=options.nodes, with_gvisor=options.gvisor
                )
            case "down":
                lifecycle.down(paths)
            case "status":
                return 0 if lifecycle.status(paths) else 1
            case "load":
                lifecycle.load(paths, options.archives)
    except ClusterError as failure:
        print(f"dev/cluster: {failure}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("dev/cluster: interrupted; the next up continues", file=sys.stderr)
        return 130
    return 0
