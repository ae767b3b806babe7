package dev.assay.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The addresses of the targets of {@link NetworkProbe}s in this cluster. */
final class NetworkTargets {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int RUNNER_PORT = 7333;

  /** The script replaces it with the Pod's own address. */
  private static final String OWN_ADDRESS = "OWN";

  private record Address(String host, int tcp, int udp) {}

  private final KubernetesClient kubernetes;
  private final Map<String, Address> addresses = new HashMap<>();

  /**
   * Looks up all addresses.
   *
   * @param runPod the running Pod of another run
   */
  NetworkTargets(Assay assay, Pod runPod, Neighbours neighbours) {
    this.kubernetes = assay.kubernetes();
    Installation installation = assay.installation();
    String system = installation.systemNamespace();
    put("dns", service("kube-system", "kube-dns"), 53);
    put("metadata", "169.254.169.254", 80);
    put("outside", installation.outside().getHost(), installation.outside().getPort());
    put("api-service", service("default", "kubernetes"), 443);
    put("api-node", slice("default", "kubernetes"));
    put("kubelet", nodeAddress(), kubeletPort());
    put("front-end", service(system, "assay"), installation.endpoint().getPort());
    put("operator", slice(system, "assay-operator"));
    put("tool-gateway", sliceOf(system, "assay-tool-gateway"));
    put("run-pod", runPod.getStatus().getPodIP(), RUNNER_PORT);
    put("other-pod", neighbours.address(), Neighbours.PORT);
    Service nodePort = neighbours.nodePort();
    addresses.put(
        "node-port", new Address(nodeAddress(), port(nodePort, "TCP"), port(nodePort, "UDP")));
    put("own-supervisor", OWN_ADDRESS, RUNNER_PORT);
    put("own-loopback", "127.0.0.1", RUNNER_PORT);
    put("dns-name", "kubernetes.default.svc", 443);
    put("ipv6-loopback", "::1", RUNNER_PORT);
    put("ipv6-global", "2001:db8::10", 443);
    put("ipv6-link", "ff02::1%eth0", RUNNER_PORT);
  }

  /**
   * The program that runs the probes.
   *
   * @param patience how many seconds each is retried while its target is not reachable
   * @param gate the probe that must be denied before any other runs, if any
   */
  String program(
      List<NetworkProbe> probes, ToIntFunction<NetworkProbe> patience, @Nullable String gate) {
    List<Map<String, Object>> targets =
        probes.stream().map(probe -> target(probe, patience.applyAsInt(probe))).toList();
    // A string of JSON is one of Python.
    return "TARGETS = "
        + json(json(targets))
        + "\nGATE = "
        + (gate == null ? "None" : json(gate))
        + "\n"
        + Samples.text("probes/network.py");
  }

  private Map<String, Object> target(NetworkProbe probe, int patience) {
    Address address =
        Objects.requireNonNull(addresses.get(probe.target()), () -> "address of " + probe.target());
    return Map.of(
        "name",
        probe.name(),
        "kind",
        probe.kind().word(),
        "address",
        (probe.mapped() ? "::ffff:" : "") + address.host(),
        "port",
        probe.kind() == NetworkProbe.Kind.UDP ? address.udp() : address.tcp(),
        "patience",
        patience);
  }

  private void put(String target, String host, int port) {
    addresses.put(target, new Address(host, port, port));
  }

  private void put(String target, EndpointSlice slice) {
    put(
        target,
        slice.getEndpoints().getFirst().getAddresses().getFirst(),
        slice.getPorts().getFirst().getPort());
  }

  private String service(String namespace, String name) {
    return kubernetes
        .services()
        .inNamespace(namespace)
        .withName(name)
        .require()
        .getSpec()
        .getClusterIP();
  }

  private EndpointSlice slice(String namespace, String name) {
    return kubernetes
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(namespace)
        .withName(name)
        .require();
  }

  /** One whose name Kubernetes has made. */
  private EndpointSlice sliceOf(String namespace, String service) {
    return kubernetes
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(namespace)
        .withLabel("kubernetes.io/service-name", service)
        .list()
        .getItems()
        .stream()
        .filter(slice -> !slice.getEndpoints().isEmpty())
        .findFirst()
        .orElseThrow();
  }

  private Node node() {
    return kubernetes.nodes().list().getItems().getFirst();
  }

  private String nodeAddress() {
    return node().getStatus().getAddresses().stream()
        .filter(address -> address.getType().equals("InternalIP"))
        .map(NodeAddress::getAddress)
        .findFirst()
        .orElseThrow();
  }

  private int kubeletPort() {
    return node().getStatus().getDaemonEndpoints().getKubeletEndpoint().getPort();
  }

  private static int port(Service service, String protocol) {
    return service.getSpec().getPorts().stream()
        .filter(port -> port.getProtocol().equals(protocol))
        .map(ServicePort::getNodePort)
        .findFirst()
        .orElseThrow();
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
