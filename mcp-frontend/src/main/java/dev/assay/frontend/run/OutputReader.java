package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.ReplySize;
import org.jspecify.annotations.Nullable;

/** Reads as much of a run's output as a reply may have. */
public final class OutputReader {
  private static final ShownOutput NO_MEMORY =
      new ShownOutput(
          "[its output cannot be shown now: too many long replies are being sent; get_run shows"
              + " it]\n",
          null);

  private final OutputStore outputs;
  private final ReplyBound bound;
  private final int times;

  /**
   * A reader for replies that have the output once, as text.
   *
   * @param bound of a reply whose caller wants no other number of tokens
   */
  public OutputReader(OutputStore outputs, ReplyBound bound) {
    this(outputs, bound, 1);
  }

  private OutputReader(OutputStore outputs, ReplyBound bound, int times) {
    this.outputs = outputs;
    this.bound = bound;
    this.times = times;
  }

  /** Tokens of a reply whose caller wants no other number of them. */
  public int defaultTokens() {
    return bound.tokens();
  }

  /** The same for replies that have the output twice: as text and as structured content. */
  public OutputReader forStructuredReplies() {
    return new OutputReader(outputs, bound.halved(), 2);
  }

  /** The most heap that the output takes in a reply that has it twice. */
  public static long maxHeapBytes(int maxReplyBytes) {
    return 2 * ReplySize.ofText(maxReplyBytes);
  }

  /**
   * The output of a run that has ended; empty where nothing came back.
   *
   * @param tokens of the whole reply
   */
  public ShownOutput of(AnalyticsRun run, int tokens, CallMemory memory)
      throws InterruptedException {
    return beside("", run, tokens, memory);
  }

  /**
   * The same for a reply that has another text beside those of every run.
   *
   * @param other that text
   */
  public ShownOutput beside(String other, AnalyticsRun run, int tokens, CallMemory memory)
      throws InterruptedException {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null) {
      return ShownOutput.NONE;
    }
    if (!memory.reserveReply(heapOf(Math.min(result.storedBytes(), bound.bytes())))) {
      return NO_MEMORY;
    }
    ReplyBound own = bound.withTokens(tokens).beside(RunReply.ended(run, "").text() + other);
    String name = run.getMetadata().getName();
    if (!OutputText.isLongerThanStatus(result)) {
      ShownOutput shown = OutputText.of(name, result, own);
      if (shown.nextOffset() == null) {
        return shown;
      }
    }
    return OutputText.of(name, result, read(run, 0), own);
  }

  /** What a run in progress has written so far, from the beginning. */
  public ShownOutput soFar(AnalyticsRun run, int tokens, CallMemory memory)
      throws InterruptedException {
    if (!memory.reserveReply(heapOf(bound.bytes()))) {
      return NO_MEMORY;
    }
    return switch (read(run, 0)) {
      case OutputStore.Bytes read ->
          OutputText.soFar(run.getMetadata().getName(), read.bytes(), bound.withTokens(tokens));
      case OutputStore.Absent absent -> ShownOutput.NONE;
      case OutputStore.Missing missing -> cannotBeRead(missing);
    };
  }

  /**
   * A part of the stored output.
   *
   * @param offset the byte to begin with; in the middle of a character, the next one
   */
  public ShownOutput page(AnalyticsRun run, int offset, int tokens, CallMemory memory)
      throws InterruptedException {
    if (!memory.reserveReply(heapOf(bound.bytes()))) {
      return NO_MEMORY;
    }
    return switch (read(run, offset)) {
      case OutputStore.Bytes read ->
          OutputPage.of(run, offset, read.bytes(), bound.withTokens(tokens));
      case OutputStore.Absent absent ->
          OutputPage.of(run, offset, new byte[0], bound.withTokens(tokens));
      case OutputStore.Missing missing -> cannotBeRead(missing);
    };
  }

  private static ShownOutput cannotBeRead(OutputStore.Missing missing) {
    return new ShownOutput("[its output cannot be read now: " + missing.why() + "]\n", null);
  }

  private long heapOf(long bytes) {
    return times * ReplySize.ofText((int) bytes);
  }

  private OutputStore.Stored read(AnalyticsRun run, long offset) throws InterruptedException {
    return outputs.read(
        run.getMetadata().getNamespace(),
        run.getMetadata().getUid(),
        offset,
        OutputText.bytesToRead(bound));
  }
}
