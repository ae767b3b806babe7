package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Sysctl;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Pods that run a Python program and print its findings. */
final class ProbePods {
  private static final String WORKER = "worker";
  private static final long LONGEST_SECONDS = 120;

  /** Allows every process to ping, so that only a NetworkPolicy can block it. */
  private static final Sysctl PING = new Sysctl("net.ipv4.ping_group_range", "0 2147483647");

  private ProbePods() {}

  /**
   * A Pod like the given run's, except that its worker runs a program without the seccomp filter.
   */
  static Pod likeRun(Pod runPod, String name, String program) {
    Map<String, String> labels = new HashMap<>(runPod.getMetadata().getLabels());
    labels.put(Runs.RUN_UID, name);
    Pod pod =
        new PodBuilder(runPod)
            .withNewMetadata()
            .withName(name)
            .withNamespace(runPod.getMetadata().getNamespace())
            .withLabels(labels)
            .endMetadata()
            .withStatus(null)
            .editSpec()
            .withNodeName(null)
            .editSecurityContext()
            .withSysctls(PING)
            .endSecurityContext()
            .endSpec()
            .build();
    worker(pod.getSpec()).setCommand(command(program));
    return pod;
  }

  /** A restricted Pod of the same image that is never Ready, so that no Service routes to it. */
  static Pod unready(
      Pod runPod, String namespace, String name, Map<String, String> labels, String program) {
    return new PodBuilder(ordinary(runPod, namespace, name, labels, program))
        .editSpec()
        .addNewReadinessGate("e2e.assay.dev/never")
        .endSpec()
        .build();
  }

  /** A restricted Pod of the same image. */
  static Pod ordinary(
      Pod runPod, String namespace, String name, Map<String, String> labels, String program) {
    Container worker = worker(runPod.getSpec());
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .withAutomountServiceAccountToken(false)
        .withTerminationGracePeriodSeconds(0L)
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withSysctls(PING)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .endSecurityContext()
        .addNewContainer()
        .withName(WORKER)
        .withImage(worker.getImage())
        .withImagePullPolicy(worker.getImagePullPolicy())
        .withCommand(command(program))
        .withSecurityContext(worker.getSecurityContext())
        .endContainer()
        .endSpec()
        .build();
  }

  /** Creates a Pod, waits for the end of its program, and returns its output. */
  static String run(KubernetesClient kubernetes, Pod pod) {
    var resource = kubernetes.pods().resource(kubernetes.resource(pod).create());
    try {
      resource.waitUntilCondition(ProbePods::hasEnded, LONGEST_SECONDS, TimeUnit.SECONDS);
      return resource.inContainer(WORKER).getLog();
    } finally {
      resource.withGracePeriod(0).delete();
    }
  }

  private static boolean hasEnded(@Nullable Pod pod) {
    return pod != null
        && pod.getStatus().getContainerStatuses().stream()
            .filter(status -> status.getName().equals(WORKER))
            .map(ContainerStatus::getState)
            .anyMatch(state -> state.getTerminated() != null);
  }

  private static Container worker(PodSpec spec) {
    return spec.getContainers().stream()
        .filter(container -> container.getName().equals(WORKER))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> command(String program) {
    return List.of("python3", "-I", "-u", "-c", program);
  }
}
