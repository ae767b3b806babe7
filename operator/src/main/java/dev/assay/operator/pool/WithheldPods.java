package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.operator.pod.PodText;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The Pods of a pool that wait for a run and are withheld, since their network is not known to be
 * closed.
 *
 * @param count how many there are
 * @param lasting those that have been for longer than a network plugin may take
 * @param couldConnect whether one of these is known to have connected
 */
record WithheldPods(int count, List<Pod> lasting, boolean couldConnect) {
  private static final int MAX_NODES = 3;

  /** What the status of the class says of them; empty if nothing has to be done about them. */
  Optional<String> message() {
    if (lasting.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        PodText.line(
            "Pods withheld from runs: %d, on %s. Their network %s: see the Events EgressNotRefused"
                .formatted(lasting.size(), nodes(), couldConnect ? "is open" : "cannot be tested"),
            Bounds.MAX_POOL_MESSAGE));
  }

  private String nodes() {
    List<String> names =
        lasting.stream()
            .map(pod -> pod.getSpec().getNodeName())
            .filter(Objects::nonNull)
            .distinct()
            .sorted()
            .toList();
    String first = names.stream().limit(MAX_NODES).collect(Collectors.joining(", "));
    return names.size() > MAX_NODES ? first + " and others" : first;
  }
}
