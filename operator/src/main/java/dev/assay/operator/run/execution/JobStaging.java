package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.run.admission.ProgramChecks;
import dev.assay.operator.run.machine.Target;
import dev.assay.operator.run.status.ClassChoice;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Stages the job of a run in its Pod. */
final class JobStaging {
  static final String KEY_REMOVED = "The signing key of the Pod was removed";
  static final String RUN_MISMATCH = "RunMismatch";
  static final String BYTES_CHANGED = "BytesChanged";

  /**
   * Refusals that do not depend on the job: the runner was given one or told to refuse meanwhile,
   * or the request came late, or to another runner.
   */
  private static final Set<String> NOT_OF_THE_JOB =
      Set.of(
          BYTES_CHANGED,
          RUN_MISMATCH,
          "Expired",
          "WrongNonce",
          "WrongPod",
          RunnerRefusedException.REFUSED);

  private final ExecutionServices services;
  private final ExecutionRequest request;

  JobStaging(ExecutionServices services, ExecutionRequest request) {
    this.services = services;
    this.request = request;
  }

  /** Why the runner cannot do the work of the run; empty if it can. */
  Optional<String> missing(Hello hello) {
    String className = ClassChoice.settled(request.run(), Optional.of(request.pod())).orElse("");
    return EgressAddress.textOf(request.pod()).isPresent() && !hello.supports(Hello.EGRESS)
        ? Optional.of(
            "The runner image of class '"
                + className
                + "' is too old for egressCheck: use that of this release, or set egressCheck:"
                + " Disabled in the class")
        : RunJob.missing(request.run().getSpec(), request.guard(), hello, className);
  }

  /** Whether a runner refuses with this code because of what is in the job. */
  static boolean isOfTheJob(String code) {
    return !NOT_OF_THE_JOB.contains(code);
  }

  /** The key that the Pod trusts; empty if it was removed. */
  Optional<SigningKey> key() {
    return services.keys().forPod(CreatedPod.keyIds(request.pod()));
  }

  /**
   * Whether a job that a runner was given for the run, by whichever process, reads the snapshots of
   * the run. Other Pods than warm ones were created with them.
   */
  boolean hasSnapshots(Hello hello) {
    return !request.bringsDatasets()
        || RunJob.digest(request.snapshots()).equals(hello.snapshots());
  }

  /** Whether the snapshots that a warm Pod is to open are current, once that was read. */
  CompletableFuture<Boolean> hasCurrentSnapshots() {
    return request.bringsDatasets()
        ? services.currentSnapshots().include(request.run(), request.snapshots())
        : CompletableFuture.completedFuture(true);
  }

  /** The run in the runner that has answered. */
  Binding binding(Hello hello, SigningKey key) {
    return new Binding(
        RunnerAddress.of(request.pod()),
        request.namespace(),
        request.runUid(),
        request.podUid(),
        hello.nonce(),
        key,
        hello.features() == null ? List.of() : hello.features());
  }

  /** Reads the run with its texts, which never change; empty if it was deleted. */
  Optional<AnalyticsRun> readWhole() {
    return services.wholes().withTexts(request.run());
  }

  /**
   * Sends the job, unless the run was deleted: then binding it fails.
   *
   * @param whole the run with its texts, if it exists
   * @throws InvalidInputException if no runner would take it
   */
  void stage(Target target, Optional<AnalyticsRun> whole, List<PinnedInput> inputs)
      throws IOException, RunnerRefusedException, InvalidInputException {
    if (whole.isEmpty()) {
      return;
    }
    // Here, because the admission of a run decides without its texts.
    Optional<String> problem = ProgramChecks.inputProblem(whole.get().getSpec());
    if (problem.isPresent()) {
      throw new InvalidInputException(problem.get());
    }
    try {
      services
          .runners()
          .stage(target.binding(), job(whole.get(), request.read(inputs), target.hello()));
    } catch (RunnerRefusedException e) {
      // A previous leader has just staged the same run's job, with another signature. A warm Pod
      // may have been given other snapshots by it.
      if (!BYTES_CHANGED.equals(e.code()) || request.bringsDatasets()) {
        throw e;
      }
    }
  }

  private Job job(AnalyticsRun whole, RunJob.Read read, Hello hello) {
    return RunJob.of(
        whole,
        read,
        hello,
        new RunJob.ClassPolicy(request.limits().artifacts(), request.guard(), request.tools()),
        request.jobLimits());
  }
}
