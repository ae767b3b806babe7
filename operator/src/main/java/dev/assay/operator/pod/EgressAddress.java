package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Objects;
import java.util.Optional;

/**
 * An address that a run Pod must be refused at, which its supervisor is told.
 *
 * @param host an IP address, since run Pods have no DNS
 * @param port the TCP port
 */
public record EgressAddress(String host, int port) {
  private static final String VARIABLE = "ASSAY_EGRESS_ADDRESS";

  /** The Pod with this address as a setting of its supervisor. */
  public Pod writtenTo(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .editMatchingContainer(container -> container.getName().equals(RunnerPod.SUPERVISOR))
        .addNewEnv()
        .withName(VARIABLE)
        .withValue(toString())
        .endEnv()
        .endContainer()
        .endSpec()
        .build();
  }

  /**
   * What a Pod's supervisor is told, as text: whoever may create Pods there may have written it, so
   * that nothing may be connected to on its account.
   *
   * @return empty if the class of the Pod does not require the check
   */
  public static Optional<String> textOf(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(RunnerPod.SUPERVISOR))
        .flatMap(container -> container.getEnv().stream())
        .filter(variable -> variable.getName().equals(VARIABLE))
        .map(variable -> Objects.requireNonNullElse(variable.getValue(), ""))
        .findFirst();
  }

  /** As in {@code 192.0.2.1:8787} and {@code [2001:db8::1]:8787}. */
  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
