package dev.assay.local.api.registry;

import java.time.Clock;
import java.time.temporal.ChronoUnit;

/** Times as metadata has them: whole seconds, UTC. */
final class Timestamps {
  private Timestamps() {}

  static String now(Clock clock) {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
