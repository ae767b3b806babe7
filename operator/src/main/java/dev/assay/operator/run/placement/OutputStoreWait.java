package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.results.StoreOutage;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.StoreOutageTransitions;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bound runs that cannot be ended while their output cannot be read. */
public final class OutputStoreWait {
  private static final Logger LOG = LoggerFactory.getLogger(OutputStoreWait.class);
  private static final Duration STORE_RETRY = Duration.ofSeconds(10);

  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final RunResources resources;
  private final RunOutputs outputs;
  private final RunEvents events;
  private final Clock clock;

  public OutputStoreWait(
      StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
      RunResources resources,
      RunOutputs outputs,
      RunEvents events,
      Clock clock) {
    this.statuses = statuses;
    this.resources = resources;
    this.outputs = outputs;
    this.events = events;
    this.clock = clock;
  }

  /** The stored output of a bound run is part of its ending, which waits until it can be read. */
  UpdateControl<AnalyticsRun> waitFor(AnalyticsRun run, UncheckedIOException failure) {
    String message = StoreOutage.message(outputs, failure);
    if (StoreOutageTransitions.begun(run, message, clock.instant()).isPresent()) {
      LOG.warn("Output of run {} cannot be read. {}", run.getMetadata().getName(), message);
      events.outputStoreUnavailable(run, message);
      statuses
          .update(run, current -> StoreOutageTransitions.begun(current, message, clock.instant()))
          .ifPresent(written -> resources.runWritten(run, written));
    }
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(STORE_RETRY);
  }
}
