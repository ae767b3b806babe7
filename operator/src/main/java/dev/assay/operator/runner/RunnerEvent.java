package dev.assay.operator.runner;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** An event that a runner reports. All of it is hostile input: limited and validated when read. */
public sealed interface RunnerEvent {
  /** 1, 2, 3 … without gaps. */
  long seq();

  /** The first user instruction is about to run. */
  record Started(long seq) implements RunnerEvent {}

  /**
   * Output.
   *
   * @param seq the event's number
   * @param offset number of bytes of output before these
   * @param data at most 32 KiB
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared; a copy per event would cost.
  record Output(long seq, long offset, byte[] data) implements RunnerEvent {}

  /**
   * A file that the run left.
   *
   * @param seq the event's number
   * @param number 1, 2, 3 … without gaps
   * @param path relative to the working directory
   * @param bytes its length
   * @param data the whole file; null if it is to be fetched by its number
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared; a copy per event would cost.
  record Artifact(long seq, int number, String path, long bytes, byte @Nullable [] data)
      implements RunnerEvent {
    /** The maximum length of the data of all artifacts of a run together. */
    public static final int MAX_DATA = 16 * 1024;
  }

  /**
   * A call of a tool, which the worker waits for.
   *
   * @param seq the event's number
   * @param call 1, 2, 3 … without gaps
   * @param batch the batch that it is of; null for a call by itself
   * @param server the tool server, 1 to {@value EventParser#MAX_TOOL_TEXT} bytes of UTF-8
   * @param tool its tool, 1 to {@value EventParser#MAX_TOOL_TEXT} bytes of UTF-8
   * @param args the arguments, at most {@value #MAX_ARGS} bytes that nothing has parsed; null if
   *     the call was answered before
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared; a copy per event would cost.
  record ToolCall(
      long seq, int call, @Nullable Batch batch, String server, String tool, byte @Nullable [] args)
      implements RunnerEvent {
    /** The maximum length of the arguments of a call. */
    public static final int MAX_ARGS = 256 * 1024;
  }

  /**
   * Calls that the worker makes at once. Their numbers are {@code first} and those that follow it.
   *
   * @param first the number of its first call
   * @param size how many calls it has, at most {@value #MAX_SIZE}
   * @param maxParallel how many of them are in flight at once
   */
  record Batch(int first, int size, int maxParallel) {
    /** How many calls a batch may have. */
    public static final int MAX_SIZE = 100;

    /** The number of its last call. */
    public int last() {
      return first + size - 1;
    }
  }

  /**
   * The result; always the last event.
   *
   * @param seq the event's number
   * @param outcome how it ended
   * @param error the error of the code
   * @param description the description of a snapshot
   * @param value what the code returned: JSON text exactly as the runner sent it, at most {@link
   *     JsonValue#MAX_BYTES} bytes of UTF-8; null if it returned nothing
   * @param outputBytes length of all output
   * @param storedBytes length of the output that was sent as events
   * @param sha256 of all output, hexadecimal
   * @param tail the last bytes of output, if it was truncated
   * @param cpuMillis CPU time
   * @param peakMemoryBytes peak memory of the worker
   * @param durationMillis from the first user instruction to the end
   * @param artifactsMessage which files were left out, and why; null if none were
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Result(
      long seq,
      Outcome outcome,
      @Nullable CodeError error,
      @Nullable JsonNode description,
      @Nullable String value,
      long outputBytes,
      long storedBytes,
      @Nullable String sha256,
      byte @Nullable [] tail,
      @Nullable Long cpuMillis,
      @Nullable Long peakMemoryBytes,
      long durationMillis,
      @Nullable String artifactsMessage)
      implements RunnerEvent {

    /** Whether the worker reported that the same work would return the same value. */
    public boolean isCacheable() {
      return value != null && JsonValue.isCacheable(value);
    }

    /** Whether the code wrote more output than was kept. */
    public boolean isTruncated() {
      return outputBytes > storedBytes;
    }
  }

  /** How a run ended, as reported by the supervisor. */
  enum Outcome {
    Succeeded,
    CodeError,
    DeadlineExceeded,
    MemoryExceeded,
    Cancelled,
    StartFailed,
    WorkerLost
  }

  /**
   * An error of the user's code.
   *
   * @param type the exception's type
   * @param message its message
   * @param line in the user's own code
   * @param column in that line, from 1; null where only the line is known
   * @param traceback without the runner's frames
   * @param code for programs, in capitals; null if the kind of job has no codes
   */
  record CodeError(
      String type,
      String message,
      @Nullable Integer line,
      @Nullable Integer column,
      @Nullable String traceback,
      @Nullable String code) {}
}
