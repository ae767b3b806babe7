package dev.assay.frontend.run;

import dev.assay.api.logging.LogContext;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallRun;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Patience;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates runs for calls and waits for their ends. A run that is not wanted any more, or has
 * outlived its limits, is cancelled.
 */
public final class RunSubmission {
  private static final Logger log = LoggerFactory.getLogger(RunSubmission.class);

  /** The code as it came, as the API server returned it and as it is watched, in UTF-16. */
  private static final long HEAP_PER_CODE_CHAR = 6;

  private final RunGateway runs;
  private final RunClasses classes;
  private final RunWait runWait;
  private final Supplier<String> names;

  /**
   * Runs of one front end.
   *
   * @param names gives each run a name that no other has
   */
  public RunSubmission(
      RunGateway runs, RunClasses classes, RunWait runWait, Supplier<String> names) {
    this.runs = runs;
    this.classes = classes;
    this.runWait = runWait;
    this.names = names;
  }

  /**
   * Creates a run and waits for it.
   *
   * @param spec with a class and a time limit; what it does not have is added
   * @param patience how long the call waits for the end of the run, which goes on after it
   */
  public RunOutcome execute(AnalyticsRunSpec spec, Patience patience, CallContext call)
      throws InterruptedException {
    String namespace = call.identity().namespace();
    String name = nameFor(call);
    try (LogContext _ = LogContext.open().run(namespace, name);
        Subscription<AnalyticsRun> subscription = runs.follow(namespace, name)) {
      AnalyticsRun created = create(name, spec, call);
      call.memory()
          .releaseRequest(HEAP_PER_CODE_CHAR * (length(spec.code()) + length(spec.input())));
      return settled(runWait.await(created, subscription, boundOf(spec), patience, call), call);
    }
  }

  /**
   * Creates a run that is to be followed, or finds it where an earlier request with the same key
   * has.
   *
   * @param spec with a class and a time limit; what it does not have is added
   */
  public AnalyticsRun create(AnalyticsRunSpec spec, CallContext call) {
    return create(nameFor(call), spec, call);
  }

  /** Waits for the end of a run that was created before. */
  public RunOutcome follow(AnalyticsRun created, CallContext call) throws InterruptedException {
    try (LogContext _ =
        LogContext.open()
            .run(created.getMetadata().getNamespace(), created.getMetadata().getName())) {
      return settled(
          runWait.follow(created, boundOf(created.getSpec()), Patience.endless(), call), call);
    }
  }

  /** When a run must have ended, whatever happens to it. */
  public Duration boundOf(AnalyticsRunSpec spec) {
    return classes.limitsOf(spec.className()).bound(spec);
  }

  private AnalyticsRun create(String name, AnalyticsRunSpec spec, CallContext call) {
    call.run().set(CallRun.of(name, spec));
    NewRun wanted = new NewRun(name, spec.withRequestId(call.requestId()));
    try {
      return call.idempotencyKey().isEmpty()
          ? createNew(wanted.of(call), call)
          : createOnce(wanted.repeatable(call), call);
    } catch (ClusterException e) {
      if (e.wasNotDone()) {
        call.run().set(null);
      }
      throw e;
    }
  }

  private String nameFor(CallContext call) {
    return call.idempotencyKey().map(key -> RunNames.of(call.identity(), key)).orElseGet(names);
  }

  /** Looks first: a limit or a quota that its run has exhausted does not refuse a repetition. */
  private AnalyticsRun createOnce(AnalyticsRun wanted, CallContext call) {
    return earlier(wanted).orElseGet(() -> createNew(wanted, call));
  }

  private AnalyticsRun createNew(AnalyticsRun wanted, CallContext call) {
    runs.requireInputs(wanted.getSpec(), call.identity());
    return runs.create(wanted);
  }

  private Optional<AnalyticsRun> earlier(AnalyticsRun wanted) {
    Optional<AnalyticsRun> there =
        runs.read(wanted.getMetadata().getNamespace(), wanted.getMetadata().getName());
    if (there.filter(run -> !RunState.isOfSameRequest(run, wanted)).isPresent()) {
      throw ClusterException.keyReused();
    }
    return there;
  }

  /** The same outcome, after what it means for the run has been done. */
  private RunOutcome settled(RunOutcome outcome, CallContext call) {
    String namespace = outcome.run().getMetadata().getNamespace();
    String name = outcome.run().getMetadata().getName();
    try {
      switch (outcome) {
        case RunOutcome.NotWanted _, RunOutcome.Overdue _ -> runs.cancel(namespace, name);
        case RunOutcome.InProgress _ -> {
          runs.detach(namespace, name);
          // Who cancels before the answer is there gets none, and could not go on with the run.
          call.cancellation().onChange(() -> cancelWith(call, namespace, name));
        }
        case RunOutcome.Ended _, RunOutcome.Deleted _, RunOutcome.Abandoned _ -> {}
      }
    } catch (ClusterException e) {
      log.warn(
          outcome instanceof RunOutcome.InProgress
              ? "run {} could not be marked as detached; a cancellation of its call still ends it: {}"
              : "run {} could not be cancelled; its own limits end it: {}",
          name,
          e.getMessage());
    }
    return outcome;
  }

  private void cancelWith(CallContext call, String namespace, String name) {
    if (!call.cancellation().isCancelled()) {
      return;
    }
    try {
      runs.cancel(namespace, name);
    } catch (ClusterException e) {
      log.warn("run {} could not be cancelled; its own limits end it: {}", name, e.getMessage());
    }
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
