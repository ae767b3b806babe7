package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import org.jspecify.annotations.Nullable;

/** Reads as much of a run's output as a reply may have. */
public final class OutputReader {
  private final OutputStore outputs;
  private final int maxReplyBytes;

  /**
   * A reader.
   *
   * @param maxReplyBytes of output in a reply
   */
  public OutputReader(OutputStore outputs, int maxReplyBytes) {
    this.outputs = outputs;
    this.maxReplyBytes = maxReplyBytes;
  }

  /** The output of a run that has ended, fit to be shown; empty where nothing came back. */
  public String of(AnalyticsRun run) throws InterruptedException {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null) {
      return "";
    }
    return OutputText.isLongerThanStatus(result)
        ? OutputText.of(result, read(run), maxReplyBytes)
        : OutputText.of(result, maxReplyBytes);
  }

  /** What a run that is under way has written so far, from the beginning. */
  public String soFar(AnalyticsRun run) throws InterruptedException {
    return switch (read(run)) {
      case OutputStore.Bytes read -> OutputText.soFar(read.bytes(), maxReplyBytes);
      case OutputStore.Absent absent -> "";
      case OutputStore.Missing missing ->
          "[what it has written cannot be read now: " + missing.why() + "]\n";
    };
  }

  private OutputStore.Stored read(AnalyticsRun run) throws InterruptedException {
    return outputs.read(
        run.getMetadata().getNamespace(),
        run.getMetadata().getUid(),
        0,
        OutputText.bytesToRead(maxReplyBytes));
  }
}
