package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The text of a run's output: the first bytes from the output store or the status, the last from
 * the status, and one line in brackets for what is between them and cannot be shown.
 */
public final class OutputText {
  /** Room that a reply keeps for the end of the output and for the line in brackets. */
  private static final int TAIL_BYTES = 16 * 1024;

  private static final String REPLACEMENT = "\uFFFD";

  private OutputText() {}

  /** Whether the output store has more than the status shows. */
  public static boolean isLongerThanStatus(RunResult result) {
    String head = textOf(result.output());
    if (Text.bytes(head) < result.storedBytes()) {
      return true;
    }
    // The replacement character is longer than what it stands for, so lengths tell nothing.
    return result.outputTail() != null && head.contains(REPLACEMENT);
  }

  /** How many bytes to read of the output store, for a reply of a given limit. */
  public static int bytesToRead(int maxReplyBytes) {
    return maxReplyBytes - 2 * TAIL_BYTES;
  }

  /** From the status alone, which has all that is stored. */
  public static String of(RunResult result, int maxReplyBytes) {
    String head = Text.clean(textOf(result.output()));
    return join(head, result.storedBytes(), result, null, maxReplyBytes);
  }

  /** From what the output store gave. */
  public static String of(RunResult result, OutputStore.Stored stored, int maxReplyBytes) {
    return switch (stored) {
      case OutputStore.Bytes read -> {
        boolean more = read.bytes().length < result.outputBytes();
        String head = Text.decode(read.bytes(), more);
        yield join(head, read.bytes().length, result, null, maxReplyBytes);
      }
      case OutputStore.Absent absent ->
          withoutStore(result, "it is not stored any more", maxReplyBytes);
      case OutputStore.Missing missing -> withoutStore(result, missing.why(), maxReplyBytes);
    };
  }

  /** Of a run in progress, from the beginning of what it has written. */
  static String soFar(byte[] read, int maxReplyBytes) {
    String text = Text.prefix(Text.decode(read, true), maxReplyBytes - TAIL_BYTES);
    return read.length < bytesToRead(maxReplyBytes)
        ? text
        : endedLine(text) + "[there is more than the first " + read.length + " bytes]\n";
  }

  private static String withoutStore(RunResult result, String why, int maxReplyBytes) {
    String head = Text.clean(textOf(result.output()));
    if (head.endsWith(REPLACEMENT)) {
      head = head.substring(0, head.length() - 1);
    }
    long length = Math.min(Text.bytes(head), result.storedBytes());
    return join(head, length, result, why, maxReplyBytes);
  }

  private static String join(
      String head, long headBytes, RunResult result, @Nullable String why, int maxReplyBytes) {
    long total = result.outputBytes();
    long unseen = total - headBytes;
    if (unseen <= 0) {
      return within(head, total, maxReplyBytes);
    }
    String tail = Text.clean(textOf(result.outputTail()));
    tail = Text.suffix(tail, (int) Math.min(Text.bytes(tail), unseen));
    int tailBytes = Text.bytes(tail);
    if (tailBytes == unseen) {
      return within(head + tail, total, maxReplyBytes);
    }
    return within(
        endedLine(head) + gap(headBytes, tailBytes, total, why) + "\n" + tail,
        total,
        maxReplyBytes);
  }

  /** Binary output grows when it is decoded; a reply does not grow beyond its bound. */
  private static String within(String text, long total, int maxReplyBytes) {
    if (Text.bytes(text) <= maxReplyBytes) {
      return text;
    }
    String head = Text.prefix(text, maxReplyBytes - TAIL_BYTES);
    return endedLine(head) + gap(Text.bytes(head), 0, total, null) + "\n";
  }

  private static String gap(long headBytes, long tailBytes, long total, @Nullable String why) {
    return "[output "
        + (why == null ? "truncated" : "incomplete")
        + ": first "
        + headBytes
        + (tailBytes == 0 ? "" : " and last " + tailBytes)
        + " of "
        + total
        + " bytes"
        + (why == null ? "" : "; the rest could not be read: " + why)
        + "]";
  }

  /** The text with a line feed at its end, unless it is empty. */
  static String endedLine(String text) {
    return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
  }

  private static String textOf(@Nullable String text) {
    return text == null ? "" : text;
  }
}
