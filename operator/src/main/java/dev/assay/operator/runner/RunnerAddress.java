package dev.assay.operator.runner;

import dev.assay.operator.pod.RunnerPod;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;

/**
 * The address on which a Pod's supervisor listens.
 *
 * @param ip the Pod's address
 * @param port TCP port
 */
public record RunnerAddress(String ip, int port) {

  /**
   * Reads the address from a Pod, port included.
   *
   * @throws IllegalArgumentException if the Pod has no address or declares no runner port
   */
  public static RunnerAddress of(Pod pod) {
    String ip = pod.getStatus().getPodIP();
    if (ip == null) {
      throw new IllegalArgumentException("Pod has no address yet");
    }
    for (Container container : pod.getSpec().getContainers()) {
      for (ContainerPort port : container.getPorts()) {
        if (RunnerPod.PORT_NAME.equals(port.getName())) {
          return new RunnerAddress(ip, port.getContainerPort());
        }
      }
    }
    throw new IllegalArgumentException("Pod declares no port named " + RunnerPod.PORT_NAME);
  }

  URI resolve(String path) {
    String host = ip.contains(":") ? "[" + ip + "]" : ip;
    return URI.create("http://" + host + ":" + port + path);
  }
}
