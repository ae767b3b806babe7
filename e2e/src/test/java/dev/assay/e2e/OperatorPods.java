package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The operator's Pods, and which of them leads. */
final class OperatorPods {
  /** Of the Deployment and of the Lease. */
  static final String NAME = "assay-operator";

  private static final String SELECTOR = "app.kubernetes.io/component=operator";

  private final KubernetesClient kubernetes;
  private final String namespace;

  OperatorPods(Assay assay) {
    this.kubernetes = assay.kubernetes();
    this.namespace = assay.installation().systemNamespace();
  }

  PodResource pod(String name) {
    return kubernetes.pods().inNamespace(namespace).withName(name);
  }

  Resource<Lease> lease() {
    return kubernetes.leases().inNamespace(namespace).withName(NAME);
  }

  /** The holder of the Lease; empty if there is none. */
  static String holder(@Nullable Lease lease) {
    String holder = lease == null ? null : lease.getSpec().getHolderIdentity();
    return holder == null ? "" : holder;
  }

  /** The Pod that leads, once all replicas are up and one of them does. */
  String leader() {
    awaitAll();
    Set<String> replicas =
        kubernetes
            .pods()
            .inNamespace(namespace)
            .withLabelSelector(SELECTOR)
            .list()
            .getItems()
            .stream()
            .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
            .map(OperatorPods::name)
            .collect(Collectors.toSet());
    return awaitHolder(replicas::contains);
  }

  /** The Pod that leads after {@code former}, once one does. */
  String successorOf(String former) {
    return awaitHolder(holder -> !holder.isEmpty() && !holder.equals(former));
  }

  private String awaitHolder(Predicate<String> fits) {
    return holder(
        lease().waitUntilCondition(lease -> fits.test(holder(lease)), 2, TimeUnit.MINUTES));
  }

  /** Deletes a Pod and waits for its replacement. */
  void replace(String pod) {
    kubectl("delete", "pod", pod, "--ignore-not-found");
    awaitAll();
  }

  /** Runs an action while no operator runs. */
  void without(Runnable work) {
    String replicas = kubectl("get", "deployment/" + NAME, "-o", "jsonpath={.spec.replicas}");
    scale("0");
    try {
      kubectl("wait", "pod", "-l", SELECTOR, "--for=delete", "--timeout=120s");
      work.run();
    } finally {
      scale(replicas);
      leader();
    }
  }

  private void scale(String replicas) {
    kubectl("scale", "deployment/" + NAME, "--replicas=" + replicas);
  }

  void awaitAll() {
    kubectl("rollout", "status", "deployment/" + NAME, "--timeout=150s");
  }

  /** Runs kubectl in the operator's namespace. */
  String kubectl(String... arguments) {
    return kubectlWithInput("", arguments);
  }

  String kubectlWithInput(String input, String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = namespace;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return Programs.kubectlWithInput(input, all).orFail();
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }
}
