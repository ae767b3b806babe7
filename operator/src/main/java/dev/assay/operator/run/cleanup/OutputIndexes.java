package dev.assay.operator.run.cleanup;

import dev.assay.operator.output.RunOutputs;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the index of the store when this replica begins to lead, and again every hour: an earlier
 * leader that does not know yet that it was replaced may still write.
 */
public final class OutputIndexes {
  private static final Duration INDEX_AGE = Duration.ofHours(1);

  private final RunOutputs outputs;
  private final Clock clock;

  /** When the index of a namespace was loaded. */
  private final Map<String, Instant> indexLoaded = new HashMap<>();

  public OutputIndexes(RunOutputs outputs, Clock clock) {
    this.outputs = outputs;
    this.clock = clock;
  }

  /** Reads that of a namespace, if it is due. */
  public void load(String namespace) throws IOException {
    Instant now = clock.instant();
    Instant last = indexLoaded.get(namespace);
    if (last == null || !now.isBefore(last.plus(INDEX_AGE))) {
      outputs.loadIndex(namespace);
      indexLoaded.put(namespace, now);
    }
  }
}
