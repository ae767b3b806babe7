package dev.assay.operator.run.queue;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.metrics.ProgramMetrics.Row;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.RunState;
import io.micrometer.core.instrument.Tags;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The runs that there are at a scrape, from the cache: by phase, by what they wait for, by caller.
 */
public final class RunGauges {
  /** How many callers are shown by name. */
  public static final int CALLERS = 20;

  static final Duration RECENT = Duration.ofMinutes(5);

  private static final String OTHERS = "other";

  /** What a run that is not bound waits for. */
  enum Gate {
    /** A slot of its class: {@code maxConcurrentRuns}. */
    SLOT,
    /** The Pods of others of its class that wait for a node. */
    NODE,
    /** Its turn in the queue for the quota of its namespace. */
    QUOTA,
    /** A dataset. */
    DATASET,
    /** Its Pod, to be created, placed or started. */
    POD
  }

  private final Collection<String> namespaces;
  private final RunResources resources;
  private final ClassSlots slots;
  private final RunQueue queue;
  private final Clock clock;

  public RunGauges(
      Collection<String> namespaces,
      RunResources resources,
      ClassSlots slots,
      RunQueue queue,
      Clock clock) {
    this.namespaces = namespaces;
    this.resources = resources;
    this.slots = slots;
    this.queue = queue;
    this.clock = clock;
  }

  /**
   * Has metrics show them.
   *
   * @param leads whether this replica leads: only then are there caches
   */
  public void bindTo(ProgramMetrics metrics, BooleanSupplier leads) {
    metrics.gauges("assay_runs", "Runs that are kept, by phase.", leads, this::byPhase);
    metrics.gauges(
        "assay_runs_waiting", "Runs that wait, by what they wait for.", leads, this::waiting);
    metrics.gauges(
        "assay_runs_oldest_waiting_seconds",
        "Age of the oldest run that waits; 0 if none does.",
        leads,
        this::oldestWaiting);
    metrics.gauges(
        "assay_runs_recent_by_caller",
        "Kept runs that were created in the last 5 minutes, of the callers with most of them.",
        leads,
        this::byCaller);
  }

  private List<Row> byPhase() {
    List<Row> rows = new ArrayList<>();
    for (String namespace : namespaces) {
      Map<RunPhase, Long> counts =
          resources.runs(namespace).stream().collect(groupingBy(RunGauges::phase, counting()));
      Row.ofEach(namespace, "phase", RunPhase.values(), RunPhase::name, counts).forEach(rows::add);
    }
    return rows;
  }

  private static RunPhase phase(AnalyticsRun run) {
    RunPhase phase = RunState.statusOf(run).phase();
    return phase == null ? RunPhase.Pending : phase;
  }

  private List<Row> waiting() {
    List<Row> rows = new ArrayList<>();
    for (String namespace : namespaces) {
      Map<Gate, Long> counts = waitingIn(namespace).collect(groupingBy(this::gate, counting()));
      Row.ofEach(
              namespace,
              "gate",
              Gate.values(),
              gate -> gate.name().toLowerCase(Locale.ROOT),
              counts)
          .forEach(rows::add);
    }
    return rows;
  }

  private Gate gate(AnalyticsRun run) {
    if (slots.isWaiting(run)) {
      return Gate.SLOT;
    }
    if (queue.waitsForNode(run)) {
      return Gate.NODE;
    }
    if (queue.contains(run)) {
      return Gate.QUOTA;
    }
    return RunState.statusOf(run).reason() == RunReason.DatasetNotReady ? Gate.DATASET : Gate.POD;
  }

  private Stream<AnalyticsRun> waitingIn(String namespace) {
    return resources.runs(namespace).stream()
        .filter(run -> RunState.isActive(run) && !RunState.isBound(run));
  }

  private List<Row> oldestWaiting() {
    Instant now = clock.instant();
    return namespaces.stream()
        .map(
            namespace ->
                new Row(
                    Tags.of("namespace", namespace),
                    waitingIn(namespace)
                        .mapToLong(run -> Duration.between(RunState.created(run), now).toSeconds())
                        .max()
                        .orElse(0)))
        .toList();
  }

  private List<Row> byCaller() {
    Instant since = clock.instant().minus(RECENT);
    List<Map.Entry<String, Long>> most =
        namespaces.stream()
            .flatMap(namespace -> resources.runs(namespace).stream())
            .filter(run -> RunState.created(run).isAfter(since))
            .collect(groupingBy(RunState::caller, counting()))
            .entrySet()
            .stream()
            .sorted(
                Map.Entry.<String, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
            .toList();
    long others = 0;
    List<Row> rows = new ArrayList<>();
    for (Map.Entry<String, Long> entry : most) {
      if (rows.size() < CALLERS && !entry.getKey().equals(OTHERS)) {
        rows.add(new Row(Tags.of("caller", entry.getKey()), entry.getValue()));
      } else {
        others += entry.getValue();
      }
    }
    rows.add(new Row(Tags.of("caller", OTHERS), others));
    return rows;
  }
}
