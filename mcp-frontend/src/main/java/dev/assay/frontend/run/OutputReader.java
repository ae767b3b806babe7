package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.call.CallMemory;
import org.jspecify.annotations.Nullable;

/** Reads as much of a run's output as a reply may have. */
public final class OutputReader {
  private static final long HEAP_PER_BYTE = 10;

  private static final String NO_MEMORY =
      "[its output cannot be shown now: too many long replies are being sent; get_run shows it]\n";

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

  /**
   * The most heap that a reply takes with so much output: its bytes, the text that they become and
   * the JSON of that, in UTF-16 and escaped, with the copies that their buffers make.
   */
  public static long heapBytes(int replyBytes) {
    return HEAP_PER_BYTE * replyBytes;
  }

  /** The output of a run that has ended, fit to be shown; empty where nothing came back. */
  public String of(AnalyticsRun run, CallMemory memory) throws InterruptedException {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null) {
      return "";
    }
    if (!memory.reserveReply(heapBytes((int) Math.min(result.storedBytes(), maxReplyBytes)))) {
      return NO_MEMORY;
    }
    return OutputText.isLongerThanStatus(result)
        ? OutputText.of(result, read(run), maxReplyBytes)
        : OutputText.of(result, maxReplyBytes);
  }

  /** What a run that is under way has written so far, from the beginning. */
  public String soFar(AnalyticsRun run, CallMemory memory) throws InterruptedException {
    if (!memory.reserveReply(heapBytes(maxReplyBytes))) {
      return NO_MEMORY;
    }
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
