package dev.assay.operator.run;

import dev.assay.operator.output.OutputConflictException;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.runner.ArtifactLostException;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Brings artifacts from Pods into the store: a bounded number at a time, of all runs together. */
final class ArtifactTransfer {
  private static final int MAX_TRANSFERS = 32;

  private final RunnerClient runners;
  private final RunOutputs outputs;
  private final Semaphore slots = new Semaphore(MAX_TRANSFERS, true);

  ArtifactTransfer(RunnerClient runners, RunOutputs outputs) {
    this.runners = runners;
    this.outputs = outputs;
  }

  /**
   * Fetches an artifact and stores it. One that is stored already is not fetched again.
   *
   * @param number under which it is stored
   * @param atMost how long it may take
   * @return its SHA-256; empty if the Pod refuses to deliver it
   * @throws ArtifactLostException if the Pod does not deliver it now
   * @throws OutputConflictException if something else is stored under the number
   * @throws IOException if the store is unavailable
   */
  Optional<String> store(
      Binding binding, RunnerEvent.Artifact artifact, int number, Duration atMost)
      throws IOException, InterruptedException {
    slots.acquire();
    try {
      Optional<String> stored =
          outputs.artifactDigest(binding.namespace(), binding.runUid(), number, artifact.bytes());
      return stored.isPresent() ? stored : fetch(binding, artifact, number, atMost);
    } finally {
      slots.release();
    }
  }

  private Optional<String> fetch(
      Binding binding, RunnerEvent.Artifact artifact, int number, Duration atMost)
      throws IOException {
    try (InputStream content =
        runners.artifact(binding, artifact.number(), artifact.bytes(), atMost)) {
      return Optional.of(
          outputs.putArtifact(
              binding.namespace(), binding.runUid(), number, artifact.bytes(), content));
    } catch (RunnerRefusedException e) {
      return Optional.empty();
    }
  }
}
