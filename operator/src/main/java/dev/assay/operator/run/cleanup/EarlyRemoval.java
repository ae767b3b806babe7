package dev.assay.operator.run.cleanup;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.RunEvents;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes ended runs before their time where a namespace has almost as many as it may have. */
public final class EarlyRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(EarlyRemoval.class);

  private final RunResources resources;
  private final RunCleanup cleanup;
  private final RunEvents events;
  private final int maxRuns;
  private final Clock clock;
  private final MeterProvider<Counter> removed;

  public EarlyRemoval(
      RunResources resources,
      RunCleanup cleanup,
      RunEvents events,
      int maxRuns,
      MeterProvider<Counter> removed,
      Clock clock) {
    this.resources = resources;
    this.cleanup = cleanup;
    this.events = events;
    this.maxRuns = maxRuns;
    this.clock = clock;
    this.removed = removed;
  }

  /** Counts the runs of these namespaces that are deleted before their time. */
  public static MeterProvider<Counter> counter(
      ProgramMetrics metrics, Collection<String> namespaces) {
    MeterProvider<Counter> removed =
        Counter.builder("assay_runs_removed_early_total")
            .description("Ended runs that were deleted before their time to live.")
            .withRegistry(metrics.registry());
    // An increase can be seen of a counter that was there before.
    namespaces.forEach(namespace -> removed.withTag("namespace", namespace).increment(0));
    return removed;
  }

  /** Deletes what a namespace has in excess, and records an Event that says how much. */
  public void remove(String namespace) {
    List<AnalyticsRun> excess = RunExcess.of(resources.runs(namespace), maxRuns, clock.instant());
    if (excess.isEmpty()) {
      return;
    }
    List<AnalyticsRun> deleted = excess.stream().filter(this::delete).toList();
    if (!deleted.isEmpty()) {
      count(namespace, deleted.size());
      events.removedEarly(deleted.getFirst(), deleted.size(), maxRuns);
    }
  }

  /** Whether it was deleted; one that cannot be must not keep the others. */
  private boolean delete(AnalyticsRun run) {
    try {
      return cleanup.delete(run).isEmpty();
    } catch (KubernetesClientException e) {
      LOG.warn(
          "Run {} could not be deleted before its time: {}",
          run.getMetadata().getName(),
          ApiErrors.message(e));
      return false;
    }
  }

  private void count(String namespace, int runs) {
    removed.withTag("namespace", namespace).increment(runs);
  }
}
