package dev.assay.frontend.analytics;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Finds the value of a run: in its status, or in the store where it is longer. */
public final class RunValues {
  /** Of maps and lists that a byte of JSON becomes, and of the reply made of them. */
  private static final int HEAP_PER_BYTE = 32;

  private static final long MAX_HEAP = 16L << 20;

  private final OutputStore store;

  public RunValues(OutputStore store) {
    this.store = store;
  }

  /** What was found. */
  public sealed interface Stored {}

  /** Its JSON, which nobody has checked. */
  public record Found(String json) implements Stored {}

  /** The run returned none. */
  public record None() implements Stored {}

  /** It cannot be read now, or not any more. */
  public record Unavailable(String why) implements Stored {}

  /** The value of a run that has ended. */
  public Stored of(AnalyticsRun run, CallMemory memory) throws InterruptedException {
    @Nullable RunResult result = RunState.statusOf(run).result();
    @Nullable Long bytes = result == null ? null : result.valueBytes();
    if (result == null || bytes == null) {
      return new None();
    }
    if (!memory.reserveReply(Math.min(MAX_HEAP, HEAP_PER_BYTE * bytes))) {
      return new Unavailable(
          "the result cannot be shown now, because too many long replies are being sent");
    }
    if (result.value() != null) {
      return new Found(result.value());
    }
    return switch (store.readValue(run.getMetadata().getNamespace(), run.getMetadata().getUid())) {
      case OutputStore.Bytes read when sha256(read.bytes()).equals(result.valueDigest()) ->
          new Found(new String(read.bytes(), UTF_8));
      case OutputStore.Bytes changed -> new Unavailable("the stored result is damaged");
      case OutputStore.Absent absent -> new Unavailable("the result is not stored any more");
      case OutputStore.Missing missing ->
          new Unavailable("the result cannot be read now: " + missing.why());
    };
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every JVM has SHA-256.
    }
  }

  /** The beginning of what a run printed, with a note where there is more. */
  public static String stdout(AnalyticsRun run) {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null || result.output() == null) {
      return "";
    }
    String head = Text.clean(result.output());
    return Text.bytes(head) < result.outputBytes()
        ? head + "\n[" + result.outputBytes() + " bytes in all; get_run shows them]"
        : head;
  }
}
