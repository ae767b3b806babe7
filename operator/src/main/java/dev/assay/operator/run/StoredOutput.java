package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.output.RunOutputs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is stored of the output of a run without a reported result. */
final class StoredOutput {
  private static final Logger LOG = LoggerFactory.getLogger(StoredOutput.class);
  private static final int CHUNK_BYTES = 64 * 1024;

  private StoredOutput() {}

  /** Finishes what is stored of a run that has ended. Best effort: the run has ended already. */
  static void finish(RunOutputs outputs, AnalyticsRun run) {
    try {
      outputs.finishPartial(run.getMetadata().getNamespace(), run.getMetadata().getUid());
    } catch (IOException e) {
      LOG.warn(
          "The output of run {}/{} may be incomplete: {}",
          run.getMetadata().getNamespace(),
          run.getMetadata().getName(),
          StoreOutage.reason(e));
    }
  }

  /**
   * Reads what is stored.
   *
   * @return absent if there is none
   * @throws UncheckedIOException if the store cannot be read now
   */
  static @Nullable RunResult result(RunOutputs outputs, AnalyticsRun run) {
    try {
      Optional<InputStream> stored =
          outputs.read(run.getMetadata().getNamespace(), run.getMetadata().getUid(), 0);
      if (stored.isEmpty()) {
        return null;
      }
      try (InputStream bytes = stored.get()) {
        RunOutput output = new RunOutput();
        byte[] chunk = bytes.readNBytes(CHUNK_BYTES);
        while (chunk.length > 0) {
          output.take(output.size(), chunk);
          chunk = bytes.readNBytes(CHUNK_BYTES);
        }
        return output.partialResult();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
