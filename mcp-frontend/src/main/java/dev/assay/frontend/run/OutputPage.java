package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A part of the stored output of a run, with one line in brackets that says which. */
final class OutputPage {
  private OutputPage() {}

  /**
   * The part that begins with a byte.
   *
   * @param read the bytes from there on
   */
  static ShownOutput of(AnalyticsRun run, int offset, byte[] read, ReplyBound bound) {
    @Nullable RunResult result = RunState.statusOf(run).result();
    boolean ended = RunState.hasEnded(run);
    int skipped = offset == 0 ? 0 : Text.cutCharacter(read);
    int begin = offset + skipped;
    long stored = ended && result != null ? result.storedBytes() : Long.MAX_VALUE;
    DecodedOutput output =
        new DecodedOutput(
            Arrays.copyOfRange(read, skipped, read.length),
            !ended || offset + (long) read.length < stored);
    DecodedOutput.Part part = output.prefix(bound.bytes(), bound.tokens());
    int end = begin + part.bytes();
    if (ended && part.bytes() == 0) {
      return new ShownOutput(
          "[nothing is stored from byte "
              + offset
              + " on: the output has "
              + (result == null ? 0 : result.storedBytes())
              + " stored bytes]\n",
          null);
    }
    boolean more = !ended || end < stored;
    String which =
        "[bytes "
            + begin
            + " to "
            + end
            + (ended && result != null ? " of " + result.outputBytes() : "")
            + (more ? "; " + ShownOutput.call(run.getMetadata().getName(), end) + " continues" : "")
            + "]\n";
    return new ShownOutput(
        OutputText.endedLine(part.text()) + which, more ? (Long) (long) end : null);
  }
}
