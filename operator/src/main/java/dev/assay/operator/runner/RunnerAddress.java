package dev.assay.operator.runner;

import dev.assay.operator.pod.RunnerPod;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.InetAddress;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The address on which a Pod's supervisor listens.
 *
 * @param ip the Pod's address
 * @param port TCP port
 */
public record RunnerAddress(String ip, int port) {
  private static final int MAX_PORT = 65_535;
  private static final Pattern PLAIN = Pattern.compile("[0-9A-Fa-f:.]+");

  /**
   * Reads the address from a Pod, port included.
   *
   * @throws IllegalArgumentException if the Pod has none
   */
  public static RunnerAddress of(Pod pod) {
    return find(pod)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Pod has no IP address, or declares no port named " + RunnerPod.PORT_NAME));
  }

  /**
   * The same; empty if the Pod has none that can be connected to. Whoever may create Pods may
   * declare anything.
   */
  public static Optional<RunnerAddress> find(Pod pod) {
    String ip = pod.getStatus().getPodIP();
    if (ip == null || !isLiteral(ip)) {
      return Optional.empty();
    }
    return pod.getSpec().getContainers().stream()
        .flatMap(container -> container.getPorts().stream())
        .filter(port -> RunnerPod.PORT_NAME.equals(port.getName()))
        .map(ContainerPort::getContainerPort)
        .filter(port -> port != null && port > 0 && port <= MAX_PORT)
        .map(port -> new RunnerAddress(ip, port))
        .findFirst();
  }

  /** Neither in brackets nor with a zone, which Java would take. */
  private static boolean isLiteral(String ip) {
    try {
      return PLAIN.matcher(ip).matches() && InetAddress.ofLiteral(ip).getAddress().length > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  URI resolve(String path) {
    String host = ip.contains(":") ? "[" + ip + "]" : ip;
    return URI.create("http://" + host + ":" + port + path);
  }
}
