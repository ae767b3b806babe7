"""Tries to send to each target and prints the result: a line `NAME<TAB>VERDICT<TAB>DETAIL`.

Whoever starts this sets two names before it:
TARGETS, JSON: a list of {"name", "kind", "address", "port", "patience"}, where kind is tcp, udp,
name (a look-up), icmp or command (an unsigned one to a runner), OWN in an address the Pod's own one,
and patience the seconds in which an unreached target is tried again;
GATE, the name of a target that is tried until it is refused, before all others; or None.

Verdicts: `no-socket` (the kernel gave none), `unreached` (an error, or no answer), `reached` (a
connection, an answer to a packet, a command that was not refused).
"""

import concurrent.futures
import errno
import json
import socket
import time

ANSWER_SECONDS = 1.5
LONGEST_GATE_SECONDS = 30
# A DNS query for kubernetes.default.svc.cluster.local; other targets answer anything.
QUESTION = (
    bytes.fromhex("0a0001000001000000000000")
    + b"".join(
        bytes([len(word)]) + word for word in b"kubernetes.default.svc.cluster.local".split(b".")
    )
    + bytes.fromhex("0000010001")
)
START = (
    b'{"op": "start", "namespace": "n", "runUid": "r", "podUid": "p", "nonce": "n", "notAfter": 1}'
)
ECHO_REQUEST = bytes.fromhex("0800f7fe00010000")


def attempt(target):
    """Tries once; returns (verdict, detail)."""
    address, port = target["address"].replace("OWN", own_address()), target["port"]
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        if target["kind"] == "name":
            socket.getaddrinfo(address, port)
            return "reached", "the name was resolved"
        opened = open_socket(family, target["kind"])
    except socket.gaierror as error:
        return "unreached", str(error)
    except OSError as error:
        return "no-socket", errno.errorcode.get(error.errno, str(error))
    with opened:
        try:
            opened.settimeout(ANSWER_SECONDS)
            opened.connect((address, port))
            if target["kind"] == "tcp":
                return "reached", "connected"
            if target["kind"] == "command":
                return command(opened)
            opened.send(ECHO_REQUEST if target["kind"] == "icmp" else QUESTION)
            return "reached", f"{len(opened.recv(2048))} bytes came back"
        except TimeoutError:
            return "unreached", "no answer"
        except OSError as error:
            return "unreached", errno.errorcode.get(error.errno, str(error))


def own_address():
    """The Pod's own address, from the line that Kubernetes writes to /etc/hosts."""
    with open("/etc/hosts") as file:
        entries = [line.split() for line in file]
    return next(entry[0] for entry in entries if socket.gethostname() in entry[1:])


def command(opened):
    """Sends an unsigned start to a runner; returns its response."""
    head = f"POST /v1/start HTTP/1.1\r\nHost: runner\r\nContent-Length: {len(START)}\r\n\r\n"
    opened.sendall(head.encode() + START)
    answer = opened.recv(4096).decode()
    said = answer.partition("\r\n")[0]
    return ("unreached" if " 401 " in said else "reached"), said


def open_socket(family, kind):
    """Returns a socket for `kind`; raises OSError if there is none."""
    if kind in ("tcp", "command"):
        return socket.socket(family, socket.SOCK_STREAM)
    if kind == "udp":
        return socket.socket(family, socket.SOCK_DGRAM)
    return socket.socket(family, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)


def probe(target):
    """Tries until the target is reached or the time limit has passed."""
    give_up = time.monotonic() + target["patience"]
    while True:
        verdict, detail = attempt(target)
        if verdict == "reached" or time.monotonic() >= give_up:
            return verdict, detail
        time.sleep(0.1)


def wait_for_gate(target):
    """Tries until refused, and reports for how long it was open."""
    began = time.monotonic()
    open_until = began
    while time.monotonic() - began < LONGEST_GATE_SECONDS and attempt(target)[0] == "reached":
        open_until = time.monotonic()
        time.sleep(0.01)
    verdict = "never-open" if open_until == began else "was-open"
    print(f"gate\t{verdict}\t{open_until - began:.3f} s from the program's start", flush=True)


def main():
    """Probes all targets concurrently, and prints the results in their order."""
    targets = json.loads(TARGETS)  # noqa: F821 - set by the test
    for target in targets:
        if target["name"] == GATE:  # noqa: F821
            wait_for_gate(target)
    with concurrent.futures.ThreadPoolExecutor(len(targets)) as pool:
        for target, (verdict, detail) in zip(targets, pool.map(probe, targets), strict=True):
            print(f"{target['name']}\t{verdict}\t{detail}", flush=True)


main()
