package dev.assay.operator.run.results;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.output.OutputConflictException;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.status.RunArtifacts;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The output that one execution of a run receives: stored in order, without gaps, within the run's
 * limit. Reports while the output store is unavailable.
 */
public final class ReceivedOutput {
  private static final Logger LOG = LoggerFactory.getLogger(ReceivedOutput.class);
  private static final Duration FIRST_STORE_RETRY = Duration.ofMillis(10);
  private static final Duration LAST_STORE_RETRY = Duration.ofSeconds(5);

  private final AnalyticsRun run;
  private final RunLimits limits;
  private final RunOutputs outputs;
  private final WholeObjects wholes;
  private final RunEvents events;
  private final Consumer<@Nullable String> outage;
  private final RunOutput excerpt = new RunOutput();
  private volatile boolean storeUnavailable;
  private boolean finished;

  /**
   * Nothing is received yet.
   *
   * @param outage is told that the store is unavailable, and of null when it works again
   */
  public ReceivedOutput(
      AnalyticsRun run,
      RunLimits limits,
      RunOutputs outputs,
      WholeObjects wholes,
      RunEvents events,
      Consumer<@Nullable String> outage) {
    this.run = run;
    this.limits = limits;
    this.outputs = outputs;
    this.wholes = wholes;
    this.events = events;
    this.outage = outage;
  }

  /**
   * Stores output; repeated output is ignored.
   *
   * @throws IOException if the output store is unavailable
   * @throws ProtocolViolationException if it has a gap, exceeds the run's limit, or differs from
   *     what an earlier operator process received
   */
  public void store(RunnerEvent.Output data)
      throws IOException, ProtocolViolationException, InterruptedException {
    long next = excerpt.size();
    if (data.offset() <= next && data.offset() + data.data().length <= next) {
      return;
    }
    long limit = limits.outputLimitBytes();
    if (data.offset() != next || next + data.data().length > limit) {
      throw new ProtocolViolationException(
          "output at byte " + data.offset() + " has a gap or exceeds the limit");
    }
    whileStoring(() -> outputs.append(namespace(), runUid(), data.offset(), data.data()));
    excerpt.take(data.offset(), data.data());
  }

  /**
   * Makes the output and the value durable, so that the result can be acknowledged: then the runner
   * forgets them.
   *
   * @throws IOException if the output store is unavailable
   * @throws ProtocolViolationException if the runner has sent more or less output than it says, or
   *     an earlier operator process received something else
   */
  public void finish(RunnerEvent.Result result)
      throws IOException, ProtocolViolationException, InterruptedException {
    if (result.storedBytes() != excerpt.size()) {
      throw new ProtocolViolationException(
          "the result has %d bytes of output, and %d have come"
              .formatted(result.storedBytes(), excerpt.size()));
    }
    boolean truncated = result.outputBytes() > excerpt.size();
    Optional<RunValue> value = RunValue.of(result).filter(RunValue::isLong);
    whileStoring(
        () -> {
          if (value.isPresent()) {
            outputs.putValue(namespace(), runUid(), value.get().utf8());
          }
          outputs.finish(namespace(), runUid(), truncated);
        });
    finished = true;
  }

  /** Stores something of the run. */
  public interface StoreAccess {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Stores something else of the run, and reports if the output store is unavailable meanwhile.
   *
   * @throws IOException if it is
   * @throws ProtocolViolationException if an earlier operator process received something else
   */
  public void whileStoring(StoreAccess access)
      throws IOException, ProtocolViolationException, InterruptedException {
    try {
      access.run();
    } catch (OutputConflictException e) {
      throw new ProtocolViolationException(e.problem());
    } catch (IOException e) {
      storeFailed(e);
      throw e;
    }
    storeWorks();
  }

  /** Whether the latest output could not be stored. */
  public boolean isStoreUnavailable() {
    return storeUnavailable;
  }

  /** The result that the runner reported. */
  public RunResult reported(RunnerEvent.Result result) {
    return excerpt.result(result);
  }

  /**
   * The result without one that the runner reported: the output so far. An earlier operator process
   * may have received more than the runner has repeated so far.
   */
  public @Nullable RunResult partial() throws InterruptedException {
    if (!RunState.isBound(run)) {
      return excerpt.partialResult();
    }
    AtomicReference<@Nullable RunResult> stored = new AtomicReference<>();
    untilStoreWorks(() -> stored.set(StoredOutput.result(outputs, run)));
    return stored.get();
  }

  /** The artifacts that an earlier operator process has stored; empty if it has stored none. */
  public Optional<RunArtifacts> artifactsOfEarlier() throws InterruptedException {
    if (!RunState.isBound(run)) {
      return Optional.empty();
    }
    AtomicReference<Optional<RunArtifacts>> stored = new AtomicReference<>(Optional.empty());
    untilStoreWorks(() -> stored.set(StoredOutput.artifacts(outputs, run)));
    return stored.get();
  }

  /**
   * Deletes the output of a run that was released from its Pod; waits while the store is
   * unavailable. Meanwhile another leader may bind the run to its next Pod: then what was left is
   * deleted before the start there, and any output is that of the next Pod.
   */
  public void forgetReleased() throws InterruptedException {
    untilStoreWorks(
        () -> {
          if (wholes.read(run).filter(RunState::isBound).isEmpty()) {
            outputs.delete(namespace(), runUid());
          }
        });
  }

  private void forget() throws InterruptedException {
    untilStoreWorks(() -> outputs.delete(namespace(), runUid()));
  }

  /**
   * Deletes output of a Pod that the run was released from, if the operator process that released
   * it ended before it deleted the output. Must be called only between a new binding and the start:
   * then no output can be of the bound Pod.
   */
  public void forgetEarlier() throws InterruptedException {
    if (outputs.isStored(namespace(), runUid())) {
      forget();
    } else if (!outputs.isIndexed(namespace())) {
      // Most likely there is none: code may start while the store is unavailable.
      delete();
    }
  }

  private void untilStoreWorks(StoreAccess access) throws InterruptedException {
    Duration retry = FIRST_STORE_RETRY;
    while (true) {
      try {
        access.run();
        storeWorks();
        return;
      } catch (IOException | UncheckedIOException e) {
        storeFailed(e);
      }
      Thread.sleep(retry);
      retry = retry.compareTo(LAST_STORE_RETRY) < 0 ? retry.multipliedBy(2) : retry;
    }
  }

  /** The run has ended; without a result, what is stored is all of its output. */
  public void finishPartial() {
    if (!finished) {
      StoredOutput.finish(outputs, run);
    }
  }

  /** Deletes the output, best effort. */
  public void delete() {
    try {
      outputs.delete(namespace(), runUid());
    } catch (IOException e) {
      LOG.warn("The output of run {} could not be removed: {}", name(), StoreOutage.reason(e));
    }
  }

  /** The run waits for the store, which is reported once per outage. */
  private void storeFailed(Exception failure) {
    if (storeUnavailable) {
      return;
    }
    storeUnavailable = true;
    String message = StoreOutage.message(outputs, failure);
    LOG.warn("Output of run {} cannot be stored. {}", name(), message);
    events.outputStoreUnavailable(run, message);
    outage.accept(message);
  }

  private void storeWorks() {
    if (storeUnavailable) {
      storeUnavailable = false;
      LOG.info("Output of run {} is stored again", name());
      outage.accept(null);
    }
  }

  private String namespace() {
    return run.getMetadata().getNamespace();
  }

  private String runUid() {
    return run.getMetadata().getUid();
  }

  /** Namespace and name, for logs. */
  private String name() {
    return namespace() + "/" + run.getMetadata().getName();
  }
}
