package dev.assay.operator.tool;

import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolCounts;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.operator.pod.PodText;
import dev.assay.operator.tool.GatewayClient.ListFailedException;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The transitions of the status of a tool server, each a pure function from the current object to
 * its next status. Empty means that nothing has changed.
 */
final class ToolServerStates {
  private static final String CONNECTED = "Connected";
  private static final String APPROVED = "Approved";
  private static final Pattern WORDS = Pattern.compile("_");
  private static final int MAX_MESSAGE = 1024;
  private static final int MAX_NAMES = 5;

  private ToolServerStates() {}

  private static ToolServerStatus statusOf(ToolServer server) {
    return server.getStatus() == null ? ToolServerStatus.EMPTY : server.getStatus();
  }

  /** The server is not enabled. What was approved of its tools stays. */
  static Optional<ToolServerStatus> disabled(ToolServer server, Instant now) {
    return unlisted(
        server,
        ToolServerPhase.Disabled,
        "Disabled",
        "The server is disabled: spec.enabled is false",
        now);
  }

  /** The server does not list its tools. What was approved of them stays. */
  static Optional<ToolServerStatus> unavailable(
      ToolServer server, ListFailedException failure, Instant now) {
    return unlisted(
        server,
        ToolServerPhase.Unavailable,
        reason(failure.code()),
        PodText.line(failure.getMessage(), MAX_MESSAGE),
        now);
  }

  private static Optional<ToolServerStatus> unlisted(
      ToolServer server, ToolServerPhase phase, String reason, String message, Instant now) {
    ToolServerStatus before = statusOf(server);
    Condition connected = condition(server, CONNECTED, false, reason, message, now);
    return phase == before.phase()
            && isObserved(server)
            && message.equals(before.message())
            && find(before, CONNECTED).filter(old -> old.getReason().equals(reason)).isPresent()
        ? Optional.empty()
        : Optional.of(
            before
                .with()
                .phase(phase)
                .message(message)
                .observedGeneration(server.getMetadata().getGeneration())
                .conditions(with(before, connected))
                .build());
  }

  private static boolean isObserved(ToolServer server) {
    return Objects.equals(
        server.getMetadata().getGeneration(), statusOf(server).observedGeneration());
  }

  /** The reason of a condition, such as UpstreamUnavailable. */
  private static String reason(String code) {
    return code.indexOf('_') < 0
        ? code
        : WORDS
            .splitAsStream(code)
            .filter(word -> !word.isEmpty())
            .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
            .collect(Collectors.joining());
  }

  /** The server lists its tools. */
  static Optional<ToolServerStatus> listed(ToolServer server, ListedTools list, Instant now) {
    ToolServerStatus before = statusOf(server);
    ToolServerSpec spec = server.getSpec();
    List<ToolState> tools = ToolApprovals.states(spec, before, list.tools());
    ToolCounts counts = counts(tools);
    String message = "%d tools, %d of them approved".formatted(counts.listed(), counts.approved());
    ToolServerStatus next =
        before
            .with()
            .phase(spec.inQuarantine() ? ToolServerPhase.Quarantined : ToolServerPhase.Connected)
            .message(
                spec.inQuarantine()
                    ? message + "; none can be called: spec.quarantined is true"
                    : message)
            .observedGeneration(server.getMetadata().getGeneration())
            .conditions(
                with(
                    before.withConditions(
                        with(
                            before,
                            condition(
                                server,
                                CONNECTED,
                                true,
                                "Listed",
                                "The server lists its tools",
                                now))),
                    approved(server, tools, now)))
            .server(list.server())
            .counts(counts)
            .tools(tools)
            .build();
    return isSame(before, next) ? Optional.empty() : Optional.of(next);
  }

  private static Condition approved(ToolServer server, List<ToolState> tools, Instant now) {
    for (ToolApproval open : List.of(ToolApproval.Changed, ToolApproval.Pending)) {
      List<String> names =
          tools.stream().filter(tool -> tool.approval() == open).map(ToolState::name).toList();
      if (!names.isEmpty()) {
        String more =
            names.size() > MAX_NAMES ? " and %d more".formatted(names.size() - MAX_NAMES) : "";
        return condition(
            server,
            APPROVED,
            false,
            open.name(),
            PodText.line(
                names.stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
                    + more
                    + (open == ToolApproval.Changed
                        ? ": their definitions have changed since they were approved"
                        : ": no definition of them has been approved"),
                MAX_MESSAGE),
            now);
      }
    }
    return condition(server, APPROVED, true, "Approved", "All tools are approved", now);
  }

  private static ToolCounts counts(List<ToolState> tools) {
    Map<ToolApproval, Integer> counts = new EnumMap<>(ToolApproval.class);
    int listed = 0;
    for (ToolState tool : tools) {
      if (tool.approval() != null) {
        listed++;
        counts.merge(tool.approval(), 1, Integer::sum);
      }
    }
    return new ToolCounts(
        listed,
        counts.getOrDefault(ToolApproval.Approved, 0),
        counts.getOrDefault(ToolApproval.Pending, 0),
        counts.getOrDefault(ToolApproval.Changed, 0));
  }

  /** Apart from times. */
  private static boolean isSame(ToolServerStatus one, ToolServerStatus other) {
    return timeless(one).equals(timeless(other));
  }

  private static ToolServerStatus timeless(ToolServerStatus status) {
    return status.withConditions(
        conditions(status).stream()
            .map(
                condition ->
                    new ConditionBuilder(condition)
                        .withLastTransitionTime(null)
                        .withObservedGeneration(null)
                        .build())
            .toList());
  }

  private static List<Condition> conditions(ToolServerStatus status) {
    return status.conditions() == null ? List.of() : status.conditions();
  }

  private static Optional<Condition> find(ToolServerStatus status, String type) {
    return conditions(status).stream().filter(found -> found.getType().equals(type)).findFirst();
  }

  /** A condition keeps its time as long as its status stays the same. */
  private static List<Condition> with(ToolServerStatus before, Condition condition) {
    List<Condition> conditions = new ArrayList<>();
    Condition next = condition;
    for (Condition old : conditions(before)) {
      if (!old.getType().equals(condition.getType())) {
        conditions.add(old);
      } else if (old.getStatus().equals(condition.getStatus())) {
        next =
            new ConditionBuilder(condition)
                .withLastTransitionTime(old.getLastTransitionTime())
                .build();
      }
    }
    conditions.add(next);
    conditions.sort(Comparator.comparing(Condition::getType));
    return List.copyOf(conditions);
  }

  private static Condition condition(
      ToolServer server, String type, boolean holds, String reason, String message, Instant now) {
    return new ConditionBuilder()
        .withType(type)
        .withStatus(holds ? "True" : "False")
        .withReason(reason)
        .withMessage(message)
        .withObservedGeneration(server.getMetadata().getGeneration())
        .withLastTransitionTime(now.truncatedTo(ChronoUnit.SECONDS).toString())
        .build();
  }
}
