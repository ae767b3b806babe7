package dev.assay.operator.egress;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The condition NetworkPolicyEnforced of a class: whether the network of its Pods was seen to be
 * closed, in each run namespace where one was tested.
 */
public final class NetworkCondition {
  private static final String TYPE = "NetworkPolicyEnforced";
  private static final String TRUE = "True";
  private static final String FALSE = "False";
  private static final String UNKNOWN = "Unknown";

  private final Collection<String> namespaces;
  private final BiFunction<String, RunClass, Optional<Verdict>> latest;
  private final Clock clock;

  /**
   * A condition for the classes of some namespaces.
   *
   * @param namespaces the run namespaces
   * @param latest what is known of the Pods of a class in a namespace
   */
  public NetworkCondition(
      Collection<String> namespaces,
      BiFunction<String, RunClass, Optional<Verdict>> latest,
      Clock clock) {
    this.namespaces = namespaces;
    this.latest = latest;
    this.clock = clock;
  }

  /** The condition of a class; null where its Pods run no code of users. */
  public @Nullable Condition of(RunClass runClass) {
    if (runClass.getSpec().purpose() != Purpose.Run) {
      return null;
    }
    @Nullable Condition before = before(runClass.getStatus());
    Condition found = found(runClass, before);
    found.setLastTransitionTime(
        before != null && Objects.equals(before.getStatus(), found.getStatus())
            ? before.getLastTransitionTime()
            : clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    return found;
  }

  private Condition found(RunClass runClass, @Nullable Condition before) {
    if (!runClass.getSpec().requiresEgressCheck()) {
      return condition(UNKNOWN, "CheckDisabled", "egressCheck of the class is Disabled");
    }
    List<Verdict> verdicts =
        namespaces.stream()
            .filter(runClass.getSpec()::allows)
            .flatMap(namespace -> latest.apply(namespace, runClass).stream())
            .toList();
    Optional<NotClosed> worst =
        verdicts.stream()
            .flatMap(verdict -> verdict instanceof NotClosed open ? Stream.of(open) : Stream.of())
            .max(Comparator.comparing(NotClosed::couldConnect));
    if (worst.isPresent()) {
      String message = worst.get().message();
      return worst.get().couldConnect()
          ? condition(FALSE, "PodsCanConnect", message)
          : condition(UNKNOWN, "NotTested", message);
    }
    if (!verdicts.isEmpty()) {
      return condition(TRUE, "PodsAreRefused", "Pods were refused a connection before their code");
    }
    // A new leader knows nothing yet, and nothing has changed by that.
    return before != null && TRUE.equals(before.getStatus())
        ? condition(TRUE, before.getReason(), before.getMessage())
        : condition(UNKNOWN, "NotTested", "No Pod was tested yet");
  }

  private static Condition condition(String status, String reason, String message) {
    return new ConditionBuilder()
        .withType(TYPE)
        .withStatus(status)
        .withReason(reason)
        .withMessage(message)
        .build();
  }

  private static @Nullable Condition before(@Nullable RunClassStatus status) {
    return status == null || status.conditions() == null
        ? null
        : status.conditions().stream()
            .filter(condition -> condition.getType().equals(TYPE))
            .findFirst()
            .orElse(null);
  }
}
