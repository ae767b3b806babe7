package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.ReplySize;
import org.jspecify.annotations.Nullable;

/** Reads as much of a run's output as a reply may have. */
public final class OutputReader {
  private static final String NO_MEMORY =
      "[its output cannot be shown now: too many long replies are being sent; get_run shows it]\n";

  private final OutputStore outputs;
  private final int maxReplyBytes;
  private final int times;

  /**
   * A reader for replies that have the output once, as text.
   *
   * @param maxReplyBytes of output in a reply
   */
  public OutputReader(OutputStore outputs, int maxReplyBytes) {
    this(outputs, maxReplyBytes, 1);
  }

  private OutputReader(OutputStore outputs, int maxReplyBytes, int times) {
    this.outputs = outputs;
    this.maxReplyBytes = maxReplyBytes;
    this.times = times;
  }

  /** The same for replies that have the output twice: as text and as structured content. */
  public OutputReader forStructuredReplies() {
    return new OutputReader(outputs, maxReplyBytes, 2);
  }

  /** The most heap that the output takes in a reply that has it twice. */
  public static long maxHeapBytes(int maxReplyBytes) {
    return 2 * ReplySize.ofText(maxReplyBytes);
  }

  /** The output of a run that has ended, fit to be shown; empty where nothing came back. */
  public String of(AnalyticsRun run, CallMemory memory) throws InterruptedException {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null) {
      return "";
    }
    if (!memory.reserveReply(heapOf((int) Math.min(result.storedBytes(), maxReplyBytes)))) {
      return NO_MEMORY;
    }
    return OutputText.isLongerThanStatus(result)
        ? OutputText.of(result, read(run), maxReplyBytes)
        : OutputText.of(result, maxReplyBytes);
  }

  /** What a run in progress has written so far, from the beginning. */
  public String soFar(AnalyticsRun run, CallMemory memory) throws InterruptedException {
    if (!memory.reserveReply(heapOf(maxReplyBytes))) {
      return NO_MEMORY;
    }
    return switch (read(run)) {
      case OutputStore.Bytes read -> OutputText.soFar(read.bytes(), maxReplyBytes);
      case OutputStore.Absent absent -> "";
      case OutputStore.Missing missing ->
          "[its output cannot be read now: " + missing.why() + "]\n";
    };
  }

  private long heapOf(int bytes) {
    return times * ReplySize.ofText(bytes);
  }

  private OutputStore.Stored read(AnalyticsRun run) throws InterruptedException {
    return outputs.read(
        run.getMetadata().getNamespace(),
        run.getMetadata().getUid(),
        0,
        OutputText.bytesToRead(maxReplyBytes));
  }
}
