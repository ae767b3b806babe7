package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunInputs;
import dev.assay.operator.output.StoredArtifact;
import dev.assay.operator.run.results.StoreOutage;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/** Brings the inputs of a run from the output store to its Pod, before the job is staged. */
final class InputDelivery {
  private static final int MAX_ATTEMPTS = 3;

  private final ExecutionServices services;

  InputDelivery(ExecutionServices services) {
    this.services = services;
  }

  /** The outcome. */
  sealed interface Outcome {}

  /** What the Pod has received, in the order of the numbers. */
  record Delivered(List<PinnedInput> inputs) implements Outcome {}

  /**
   * An input is not there any more.
   *
   * @param message one sentence
   */
  record Missing(String message) implements Outcome {}

  /**
   * The inputs did not reach the Pod; another Pod may receive them.
   *
   * @param cause why
   */
  record Failed(String cause) implements Outcome {}

  /**
   * Sends the inputs.
   *
   * @param run the complete run
   * @param isNeeded false if the Pod has them already, because its job is staged
   */
  Outcome deliver(AnalyticsRun run, Binding binding, boolean isNeeded) {
    List<PinnedInput> inputs = RunState.statusOf(run).inputList();
    if (inputs.isEmpty()) {
      switch (RunInputs.resolve(run.getSpec(), name -> services.wholes().sibling(run, name))) {
        case RunInputs.Resolution.Resolved resolved -> inputs = resolved.inputs();
        case RunInputs.Resolution.Missing missing -> {
          return new Missing(missing.message());
        }
      }
    }
    for (int index = 0; isNeeded && index < inputs.size(); index++) {
      Optional<Outcome> problem = send(binding, index + 1, inputs.get(index));
      if (problem.isPresent()) {
        return problem.get();
      }
    }
    return new Delivered(inputs);
  }

  private Optional<Outcome> send(Binding binding, int number, PinnedInput input) {
    for (int attempt = 1; ; attempt++) {
      try {
        return sendOnce(binding, number, input)
            ? Optional.empty()
            : Optional.of(
                new Missing(
                    "Artifact \"%s\" of run \"%s\" is no longer stored"
                        .formatted(input.artifact(), input.run())));
      } catch (RunnerRefusedException e) {
        return Optional.of(new Failed(StoreOutage.reason(e)));
      } catch (IOException e) {
        if (attempt == MAX_ATTEMPTS) {
          return Optional.of(
              new Failed("an input could not be sent to its Pod: " + StoreOutage.reason(e)));
        }
      }
    }
  }

  /** Returns whether the artifact is stored. */
  private boolean sendOnce(Binding binding, int number, PinnedInput input)
      throws IOException, RunnerRefusedException {
    Optional<StoredArtifact> stored =
        services.outputs().artifact(binding.namespace(), input.uid(), input.number());
    if (stored.isEmpty()) {
      return false;
    }
    try (InputStream content = stored.get().content()) {
      services.runners().input(binding, number, input.bytes(), input.sha256(), content);
    }
    return true;
  }
}
