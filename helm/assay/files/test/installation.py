"""What `helm test` checks, from a Pod in the release namespace. Each line says what was seen.

Reads ASSAY_TEST, a JSON object: release (its namespace), port (of the front end), namespaces (of
runs), external (those of them where this Pod has no rights), languages (with a class), policies
(whether the chart has NetworkPolicies). Exits with 1 where a check has failed.
"""

import datetime
import decimal
import email.utils
import json
import os
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
PATH = "/apis/assay.dev/v1alpha1/namespaces/{namespace}/{kind}"
ENDED = ("Succeeded", "Failed", "TimedOut", "Cancelled")
CONNECT_SECONDS = 3
RUN_SECONDS = 180
MAX_CLOCK_DIFFERENCE = 60
TAKEN_BY_PODS = (
    "pods",
    "count/pods",
    *(f"{kind}{name}" for kind in ("", "requests.", "limits.") for name in ("cpu", "memory")),
)
# Of quantities, whose exponents decimal.Decimal reads as well.
SUFFIXES = {
    **{suffix: decimal.Decimal(1000) ** -power for power, suffix in enumerate("mun", 1)},
    **{suffix: decimal.Decimal(1000) ** power for power, suffix in enumerate("kMGTPE", 1)},
    **{f"{suffix}i": decimal.Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", 1)},
}
CODE = {
    "python": "print(6 * 7)",
    "polars": "6 * 7",
    "sql": "SELECT 6 * 7 AS answer",
    "javascript": "console.log(6 * 7)",
    "typescript": "const answer: number = 6 * 7; console.log(answer)",
}
NETWORK = """
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    print("created")
except PermissionError:
    print("refused")
"""


class CheckFailed(Exception):
    """What is wrong, and what to do."""


class Api:
    """The Kubernetes API, with the rights of this Pod."""

    def __init__(self):
        self.host = os.environ["KUBERNETES_SERVICE_HOST"]
        host = f"[{self.host}]" if ":" in self.host else self.host
        self.base = f"https://{host}:{os.environ['KUBERNETES_SERVICE_PORT']}"
        self.tls = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")

    def request(self, path, body=None, method=None):
        """Returns the object and the headers of a response."""
        with open(f"{ACCOUNT}/token") as token:
            headers = {"Authorization": f"Bearer {token.read()}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30, context=self.tls) as response:
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            message = json.load(error).get("message", "")
            raise CheckFailed(f"the API server refused {path}: {message}") from None

    def get(self, path):
        return self.request(path)[0]

    def create(self, namespace, kind, resource, spec):
        """Creates a run or a dataset; returns its name."""
        created, _ = self.request(
            PATH.format(namespace=namespace, kind=resource),
            {
                "apiVersion": "assay.dev/v1alpha1",
                "kind": kind,
                "metadata": {"generateName": "helm-test-"},
                "spec": spec,
            },
        )
        return created["metadata"]["name"]

    def delete(self, namespace, resource, name):
        self.request(f"{PATH.format(namespace=namespace, kind=resource)}/{name}", method="DELETE")

    def wait(self, namespace, resource, name, phases):
        """Waits until the object has one of the phases; returns its status."""
        path = f"{PATH.format(namespace=namespace, kind=resource)}/{name}"
        until = time.monotonic() + RUN_SECONDS
        while time.monotonic() < until:
            status = self.get(path).get("status", {})
            if status.get("phase") in phases:
                return status
            time.sleep(0.3)
        last = ", ".join(str(status.get(key)) for key in ("phase", "reason", "message"))
        raise CheckFailed(
            f"{resource}/{name} in {namespace} did not end within {RUN_SECONDS} s ({last}):"
            f" kubectl -n {namespace} describe {resource} {name}"
        )


def run(api, namespace, spec, expected=None):
    """Runs code until it has ended; returns the seconds that took."""
    began = time.monotonic()
    name = api.create(namespace, "AnalyticsRun", "analyticsruns", spec)
    try:
        status = api.wait(namespace, "analyticsruns", name, ENDED)
        seconds = time.monotonic() - began
    finally:
        api.delete(namespace, "analyticsruns", name)
    output = status.get("result", {}).get("output", "").strip()
    if status["phase"] != "Succeeded" or (expected is not None and output != expected):
        raise CheckFailed(
            f"a run in {namespace} ended as {status['phase']}, {status.get('reason')}:"
            f" {status.get('message') or 'its output is ' + repr(output)}"
        )
    return seconds


def check_versions(api, settings):
    """Kubernetes 1.30 has the admission policies that the chart relies on."""
    version = api.get("/version")
    if int(version["minor"].rstrip("+")) < 30 and version["major"] == "1":
        raise CheckFailed(f"Kubernetes is {version['gitVersion']}, and 1.30 or later is required")
    return f"Kubernetes {version['gitVersion']}"


def check_clock(api, settings):
    """Signatures of requests to Pods are valid for some minutes."""
    _, headers = api.request("/version")
    there = email.utils.parsedate_to_datetime(headers["Date"])
    difference = abs((datetime.datetime.now(datetime.timezone.utc) - there).total_seconds())
    if difference > MAX_CLOCK_DIFFERENCE:
        raise CheckFailed(
            f"the clock of this node and that of the API server differ by {difference:.0f} s:"
            " synchronize the clocks of the nodes"
        )
    return f"clock: {difference:.0f} s from that of the API server"


def check_dns(api, settings):
    """Clients and the front end find services by their names."""
    name = f"assay.{settings['release']}.svc"
    try:
        socket.getaddrinfo(name, settings["port"])
    except OSError as error:
        raise CheckFailed(f"DNS does not resolve {name} ({error}): check the cluster's DNS") from None
    return f"DNS resolves {name}"


def check_front_end(api, settings):
    """The endpoint of agents answers."""
    url = f"http://assay.{settings['release']}.svc:{settings['port']}/readyz"
    try:
        with urllib.request.urlopen(url, timeout=30):
            return "the front end is ready"
    except OSError as error:
        raise CheckFailed(
            f"{url}: {error}; see kubectl -n {settings['release']} logs deployment/assay-mcp-frontend"
        ) from None


def check_operator_is_closed(api, settings):
    """Only the front end may connect to the operator's endpoint."""
    if not settings["policies"]:
        return "networkPolicies.enabled is false: the operator's endpoint was not checked"
    require_refused(
        f"assay-operator.{settings['release']}.svc",
        8443,
        "the operator's endpoint is open to this Pod: install a network plugin that enforces"
        " NetworkPolicies",
    )
    return "the operator's endpoint refuses connections of this Pod"


def require_refused(host, port, wrong):
    # A name that is not found would be no refusal.
    socket.getaddrinfo(host, port)
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError:
        return
    raise CheckFailed(wrong)


def check_pod_security(api, settings, namespace):
    """Run Pods are restricted, and so is whatever else is created beside them."""
    labels = api.get(f"/api/v1/namespaces/{namespace}")["metadata"].get("labels", {})
    level = labels.get("pod-security.kubernetes.io/enforce", "none")
    if level != "restricted":
        raise CheckFailed(
            f"Pod Security of {namespace} is {level}: kubectl label namespace {namespace}"
            " pod-security.kubernetes.io/enforce=restricted"
        )
    return f"{namespace}: Pod Security is restricted"


def check_quota(api, settings, namespace):
    """A quota that is used up delays every run, where it is one of what Pods take."""
    for quota in api.get(f"/api/v1/namespaces/{namespace}/resourcequotas")["items"]:
        spec, status = quota.get("spec", {}), quota.get("status", {})
        if spec.get("scopes") or spec.get("scopeSelector"):
            # It counts some Pods only, which those of runs may not be among.
            continue
        for name, hard in status.get("hard", {}).items():
            used = status.get("used", {}).get(name, "0")
            # A quota that was lowered has less than is used.
            if name in TAKEN_BY_PODS and quantity(used) >= quantity(hard):
                raise CheckFailed(
                    f"the quota {quota['metadata']['name']} of {namespace} has no {name} left"
                    f" ({used} of {hard} used): wait until runs have ended, or raise it"
                )
    return f"{namespace}: quotas have room"


def quantity(text):
    """The value of a Kubernetes quantity: 2, 0.5, 500m, 1e3, 2Gi."""
    number = text.rstrip("".join(SUFFIXES)) if text[-1:].isalpha() else text
    return decimal.Decimal(number) * SUFFIXES.get(text[len(number) :], 1)


def check_dataset(api, settings, namespace):
    """The snapshot volume can be written to and mounted."""
    began = time.monotonic()
    spec = {"source": {"format": "csv", "inline": {"text": "kilos\n3\n4\n"}}}
    name = api.create(namespace, "Dataset", "datasets", spec)
    try:
        status = api.wait(namespace, "datasets", name, ("Ready", "Failed"))
        if status["phase"] == "Failed":
            raise CheckFailed(f"a dataset in {namespace} failed: {status.get('message')}")
        seconds = time.monotonic() - began
        code = "print(df['kilos'].sum())"
        spec = {"language": "python", "code": code, "datasets": [name], "timeoutSeconds": 30}
        with_it = run(api, namespace, spec, "7")
    finally:
        api.delete(namespace, "datasets", name)
    return f"{namespace}: a dataset was loaded in {seconds:.1f} s, and read by a run in {with_it:.1f} s"


def check_code_has_no_network(api, settings, namespace):
    """The seccomp filter, from inside."""
    spec = {"language": "python", "code": NETWORK, "timeoutSeconds": 30}
    run(api, namespace, spec, "refused")
    return f"{namespace}: code cannot open a connection"


def check_pods_are_closed(api, settings, namespace):
    """The NetworkPolicy of run Pods, from outside: only the operator may connect."""
    spec = {"language": "python", "code": "import time; time.sleep(60)", "timeoutSeconds": 90}
    name = api.create(namespace, "AnalyticsRun", "analyticsruns", spec)
    try:
        status = api.wait(namespace, "analyticsruns", name, ("Running", *ENDED))
        if status["phase"] != "Running":
            raise CheckFailed(f"a run in {namespace} ended as {status.get('reason')}")
        pod = api.get(f"/api/v1/namespaces/{namespace}/pods/{status['pod']['name']}")
        require_refused(
            pod["status"]["podIP"],
            runner_port(pod),
            f"a run Pod in {namespace} accepts connections of this Pod: its NetworkPolicy is not"
            " enforced, or another one opens it",
        )
    finally:
        api.delete(namespace, "analyticsruns", name)
    return f"{namespace}: run Pods refuse connections of this Pod"


def runner_port(pod):
    """Where the supervisor listens, as long as the run goes on."""
    ports = [port for part in pod["spec"]["containers"] for port in part.get("ports", [])]
    return next(port["containerPort"] for port in ports if port.get("name") == "runner")


def run_checker(language):
    """The check that code of a language runs."""

    def check(api, settings, namespace):
        spec = {"language": language, "code": CODE[language], "timeoutSeconds": 30}
        # Queries have values, whose forms are others.
        expected = None if language in ("polars", "sql") else "42"
        seconds = run(api, namespace, spec, expected)
        return f"{namespace}: {language} answered after {seconds:.1f} s"

    check.__name__ = f"check_{language}"
    return check


def checks(settings):
    """All checks, each with its arguments."""
    for check in (check_versions, check_clock, check_dns, check_front_end):
        yield check, ()
    for namespace in settings["namespaces"]:
        yield check_pod_security, (namespace,)
        yield check_quota, (namespace,)
        for language in settings["languages"]:
            yield run_checker(language), (namespace,)
        if "python" in settings["languages"]:
            yield check_dataset, (namespace,)
            yield check_code_has_no_network, (namespace,)
            yield check_pods_are_closed, (namespace,)
    # Last: where nobody listens, as before there is a leader, a refusal would prove nothing.
    yield check_operator_is_closed, ()


def main():
    settings = json.loads(os.environ["ASSAY_TEST"])
    api = Api()
    failed = set()
    for check, arguments in checks(settings):
        # Each of the others would wait for minutes in a namespace where no run starts.
        if arguments and arguments in failed:
            continue
        try:
            print(f"ok    {check(api, settings, *arguments)}", flush=True)
        except CheckFailed as error:
            failed.add(arguments)
            print(f"FAIL  {error}", flush=True)
        except (OSError, KeyError, ValueError) as error:
            failed.add(arguments)
            print(f"FAIL  {check.__name__}: {type(error).__name__}: {error}", flush=True)
    for (namespace,) in failed - {()}:
        print(f"      {namespace}: further checks were not made")
    for namespace in settings["external"]:
        print(f"skip  {namespace}: external, so its runs were not tested")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
