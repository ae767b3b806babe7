package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A namespace that does not belong to Assay, with a Pod that responds to TCP and UDP. */
final class Neighbours implements AutoCloseable {
  /** The address of the Pod. */
  static final int PORT = 7070;

  private static final Map<String, String> LABELS = Map.of("e2e.assay.dev/part", "neighbour");

  private final KubernetesClient kubernetes;
  private final Namespace namespace;
  private final Pod pod;
  private final Service nodePort;

  /**
   * Creates the namespace and its Pod.
   *
   * @param runPod the Pod whose image is used
   */
  Neighbours(Assay assay, Pod runPod) {
    this.kubernetes = assay.kubernetes();
    this.namespace =
        kubernetes
            .resource(
                new NamespaceBuilder()
                    .withNewMetadata()
                    .withGenerateName("e2e-neighbours-")
                    .endMetadata()
                    .build())
            .create();
    Pod echo =
        ProbePods.ordinary(runPod, namespace(), "echo", LABELS, Samples.text("probes/echo.py"));
    this.pod =
        kubernetes
            .resource(kubernetes.resource(echo).create())
            .waitUntilReady(60, TimeUnit.SECONDS);
    this.nodePort =
        kubernetes
            .resource(
                new ServiceBuilder()
                    .withNewMetadata()
                    .withName("echo")
                    .withNamespace(namespace())
                    .endMetadata()
                    .withNewSpec()
                    .withType("NodePort")
                    .withSelector(LABELS)
                    .addNewPort()
                    .withName("tcp")
                    .withProtocol("TCP")
                    .withPort(PORT)
                    .endPort()
                    .addNewPort()
                    .withName("udp")
                    .withProtocol("UDP")
                    .withPort(PORT)
                    .endPort()
                    .endSpec()
                    .build())
            .create();
  }

  String namespace() {
    return namespace.getMetadata().getName();
  }

  String address() {
    return pod.getStatus().getPodIP();
  }

  /** Exposes the Pod on a port of each node. */
  Service nodePort() {
    return nodePort;
  }

  @Override
  public void close() {
    kubernetes.resource(namespace).delete();
  }
}
