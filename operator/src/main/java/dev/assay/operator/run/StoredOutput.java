package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.output.OutputStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of a run without a reported result, from its stored output. */
final class StoredOutput {
  private static final int CHUNK_BYTES = 64 * 1024;

  private StoredOutput() {}

  /**
   * Reads what is stored.
   *
   * @return absent if there is none
   * @throws UncheckedIOException if the store cannot be read now
   */
  static @Nullable RunResult result(OutputStore outputs, AnalyticsRun run) {
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
