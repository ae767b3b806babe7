package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.RunState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The output of runs, byte by byte: from the store, or from the status where that has all. */
final class OutputBytes {
  /** Most bytes of a piece. */
  static final int PIECE = 64 * 1024;

  private static final byte[] NOTHING = {};
  private static final char REPLACEMENT = '\uFFFD';

  private final OutputStore outputs;

  OutputBytes(OutputStore outputs) {
    this.outputs = outputs;
  }

  /** Whether more may follow a piece at once. */
  static boolean isFull(byte[] piece) {
    return piece.length == PIECE;
  }

  /**
   * The bytes from an offset on; none where there are none yet, or never will be.
   *
   * @throws RestException 404 where they are not stored any more, 503 where that is not known now
   */
  byte[] at(AnalyticsRun run, long offset) throws InterruptedException {
    OutputStore.Stored stored =
        outputs.read(run.getMetadata().getNamespace(), run.getMetadata().getUid(), offset, PIECE);
    return switch (stored) {
      case OutputStore.Bytes read -> read.bytes();
      case OutputStore.Absent absent -> ofStatus(run, offset, true);
      case OutputStore.Missing missing -> ofStatus(run, offset, false);
    };
  }

  private static byte[] ofStatus(AnalyticsRun run, long offset, boolean absent) {
    @Nullable RunResult result = RunState.statusOf(run).result();
    long length = result == null ? 0 : result.storedBytes();
    boolean nothingYet = absent && !RunState.hasEnded(run);
    boolean nothingMore = RunState.hasEnded(run) && length <= offset;
    if (nothingYet || nothingMore) {
      return NOTHING;
    }
    if (result != null && hasAll(result)) {
      byte[] all = String.valueOf(result.output()).getBytes(UTF_8);
      return Arrays.copyOfRange(all, (int) offset, all.length);
    }
    String look = "; GET /api/v1/runs/" + run.getMetadata().getName() + " has its ends";
    throw absent
        ? RestException.notFound("The output of this run is not stored any more" + look)
        : RestException.unavailable("The output store could not be reached; retry" + look);
  }

  /** A replacement character may stand for another byte. */
  private static boolean hasAll(RunResult result) {
    String text = result.output();
    return text != null
        && result.outputTail() == null
        && text.indexOf(REPLACEMENT) < 0
        && text.getBytes(UTF_8).length == result.storedBytes();
  }
}
