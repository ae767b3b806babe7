package dev.assay.operator.run.results;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.status.RunArtifacts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is stored of a run without a reported result. */
public final class StoredOutput {
  private static final Logger LOG = LoggerFactory.getLogger(StoredOutput.class);
  private static final int CHUNK_BYTES = 64 * 1024;

  private StoredOutput() {}

  /** Finishes what is stored of a run that has ended. Best effort: the run has ended already. */
  public static void finish(RunOutputs outputs, AnalyticsRun run) {
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

  private static void read(InputStream stored, RunOutput output) throws IOException {
    try (stored) {
      byte[] chunk = stored.readNBytes(CHUNK_BYTES);
      while (chunk.length > 0) {
        output.take(output.size(), chunk);
        chunk = stored.readNBytes(CHUNK_BYTES);
      }
    }
  }

  /**
   * Reads which artifacts are stored.
   *
   * @return empty if none were, or not all yet
   * @throws UncheckedIOException if the store cannot be read now
   */
  public static Optional<RunArtifacts> artifacts(RunOutputs outputs, AnalyticsRun run) {
    try {
      return outputs
          .artifacts(run.getMetadata().getNamespace(), run.getMetadata().getUid())
          .map(RunArtifacts::of);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads what is stored.
   *
   * @return absent if there is none
   * @throws UncheckedIOException if the store cannot be read now
   */
  public static @Nullable RunResult result(RunOutputs outputs, AnalyticsRun run) {
    try {
      String namespace = run.getMetadata().getNamespace();
      String runUid = run.getMetadata().getUid();
      Optional<InputStream> stored = outputs.read(namespace, runUid, 0);
      Optional<RunValue> value = outputs.value(namespace, runUid).map(RunValue::stored);
      if (stored.isEmpty() && value.isEmpty()) {
        return null;
      }
      RunOutput output = new RunOutput();
      if (stored.isPresent()) {
        read(stored.get(), output);
      }
      return output.partialResult().with(builder -> value.ifPresent(known -> known.addTo(builder)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
