package dev.assay.local.kubelet;

import java.time.Instant;

/** Where a container is in its life. */
sealed interface ContainerPhase {
  /** It does not run yet. */
  record Waiting(String reason, String message) implements ContainerPhase {
    static Waiting creating() {
      return new Waiting("ContainerCreating", "");
    }
  }

  /** It runs. */
  record Running(Instant since) implements ContainerPhase {}

  /** It has ended, or could not be started. */
  record Terminated(int exitCode, String reason, String message, Instant startedAt, Instant at)
      implements ContainerPhase {}
}
