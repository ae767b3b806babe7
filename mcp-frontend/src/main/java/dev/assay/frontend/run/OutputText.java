package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.token.TokenEstimate;
import org.jspecify.annotations.Nullable;

/**
 * The text of a run's output: the first bytes from the output store or the status, the last from
 * the status, and one line in brackets for what is between them and cannot be shown.
 */
final class OutputText {
  /** Room that a reply keeps for the end of the output and for the line in brackets. */
  private static final int TAIL_BYTES = 16 * 1024;

  private static final int GAP_TOKENS = 60;

  private static final String REPLACEMENT = "\uFFFD";

  private final String run;
  private final RunResult result;
  private final ReplyBound bound;
  private final @Nullable String why;

  private OutputText(String run, RunResult result, ReplyBound bound, @Nullable String why) {
    this.run = run;
    this.result = result;
    this.bound = bound;
    this.why = why;
  }

  /** Whether the output store has more than the status shows. */
  static boolean isLongerThanStatus(RunResult result) {
    String head = textOf(result.output());
    if (Text.bytes(head) < result.storedBytes()) {
      return true;
    }
    // The replacement character is longer than what it stands for, so lengths tell nothing.
    return result.outputTail() != null && head.contains(REPLACEMENT);
  }

  /** How many bytes to read of the output store, for a reply of a given limit. */
  static int bytesToRead(ReplyBound bound) {
    return bound.bytes() - 2 * TAIL_BYTES;
  }

  /** From the status alone, which has all that is stored. */
  static ShownOutput of(String run, RunResult result, ReplyBound bound) {
    byte[] head = textOf(result.output()).getBytes(UTF_8);
    return new OutputText(run, result, bound, null)
        .join(new DecodedOutput(head, false), result.storedBytes());
  }

  /** From what the output store gave. */
  static ShownOutput of(String run, RunResult result, OutputStore.Stored stored, ReplyBound bound) {
    return switch (stored) {
      case OutputStore.Bytes read -> {
        boolean more = read.bytes().length < result.outputBytes();
        DecodedOutput head = new DecodedOutput(read.bytes(), more);
        yield new OutputText(run, result, bound, null).join(head, head.bytes());
      }
      case OutputStore.Absent absent ->
          withoutStore(run, result, "it is not stored any more", bound);
      case OutputStore.Missing missing -> withoutStore(run, result, missing.why(), bound);
    };
  }

  private static ShownOutput withoutStore(
      String run, RunResult result, String why, ReplyBound bound) {
    String head = textOf(result.output());
    if (head.endsWith(REPLACEMENT)) {
      head = head.substring(0, head.length() - 1);
    }
    DecodedOutput decoded = new DecodedOutput(head.getBytes(UTF_8), false);
    long length = Math.min(decoded.bytes(), result.storedBytes());
    return new OutputText(run, result, bound, why).join(decoded, length);
  }

  /** Of a run in progress, from the beginning of what it has written. */
  static ShownOutput soFar(String run, byte[] read, ReplyBound bound) {
    DecodedOutput output = new DecodedOutput(read, true);
    DecodedOutput.Part first = output.prefix(bound.bytes() - TAIL_BYTES, bound.tokens());
    boolean all = first.bytes() == output.bytes() && read.length < bytesToRead(bound);
    return all
        ? new ShownOutput(first.text(), null)
        : new ShownOutput(
            endedLine(first.text())
                + "[there is more than the first "
                + first.bytes()
                + " bytes; "
                + ShownOutput.call(run, first.bytes())
                + " shows it]\n",
            (long) first.bytes());
  }

  private ShownOutput join(DecodedOutput head, long headBytes) {
    long unseen = result.outputBytes() - headBytes;
    if (unseen <= 0) {
      String text = head.text();
      return bound.fits(text) ? new ShownOutput(text, null) : cut(head, text);
    }
    String end = Text.clean(textOf(result.outputTail()));
    end = Text.suffix(end, (int) Math.min(Text.bytes(end), unseen));
    if (Text.bytes(end) == unseen) {
      String text = head.text() + end;
      return bound.fits(text) ? new ShownOutput(text, null) : cut(head, text);
    }
    String text = endedLine(head.text()) + gap(headBytes, end) + "\n" + end;
    return bound.fits(text) ? new ShownOutput(text, rest(headBytes)) : cut(head, end);
  }

  /** As much as there is room for of the beginning and, in a quarter of it, of the end. */
  private ShownOutput cut(DecodedOutput head, String end) {
    int tokens = Math.max(1, bound.tokens() - GAP_TOKENS);
    int tailTokens = tokens / 4;
    String tail = Text.jsonSuffix(end, TAIL_BYTES / 2);
    tail = tail.substring(TokenEstimate.suffix(tail, tailTokens));
    int line = tail.indexOf('\n') + 1;
    tail = line < tail.length() / 8 ? tail.substring(line) : tail;
    DecodedOutput.Part first = head.prefix(bound.bytes() - TAIL_BYTES, tokens - tailTokens);
    return new ShownOutput(
        endedLine(first.text()) + gap(first.bytes(), tail) + "\n" + tail, rest(first.bytes()));
  }

  /** Where the store has more; null where it has not. */
  private @Nullable Long rest(long shown) {
    return why == null && shown < result.storedBytes() ? (Long) shown : null;
  }

  private String gap(long headBytes, String tail) {
    int tailBytes = Text.bytes(tail);
    String begin =
        "[output "
            + (why == null ? "truncated" : "incomplete")
            + ": first "
            + headBytes
            + (tailBytes == 0 ? "" : " and last " + tailBytes)
            + " of "
            + result.outputBytes()
            + " bytes";
    if (why != null) {
      return begin + "; the rest could not be read: " + why + "]";
    }
    return rest(headBytes) == null
        ? begin + "]"
        : begin + "; " + ShownOutput.call(run, headBytes) + " shows more]";
  }

  /** The text with a line feed at its end, unless it is empty. */
  static String endedLine(String text) {
    return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
  }

  private static String textOf(@Nullable String text) {
    return text == null ? "" : text;
  }
}
