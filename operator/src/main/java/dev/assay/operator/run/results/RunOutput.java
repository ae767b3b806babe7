package dev.assay.operator.run.results;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.operator.pod.PodText;
import dev.assay.operator.runner.RunnerEvent;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The part of a run's output that goes into its status: all of it if it is short, otherwise its
 * beginning and its end. Bytes are collected as received and decoded once, at the end.
 */
public final class RunOutput {
  private static final int WHOLE = Bounds.MAX_STATUS_OUTPUT_BYTES;
  private static final int HALF = WHOLE / 2;

  private final ByteArrayOutputStream head = new ByteArrayOutputStream();
  private byte[] tail = new byte[0];
  private long stored;

  /** Appends output in order; repeated output is ignored. */
  void take(long offset, byte[] data) {
    if (offset != stored) {
      return;
    }
    stored += data.length;
    if (head.size() < WHOLE) {
      head.write(data, 0, Math.min(data.length, WHOLE - head.size()));
    }
    byte[] longer = new byte[tail.length + data.length];
    System.arraycopy(tail, 0, longer, 0, tail.length);
    System.arraycopy(data, 0, longer, tail.length, data.length);
    int length = Math.min(longer.length, HALF);
    tail = new byte[length];
    System.arraycopy(longer, longer.length - length, tail, 0, length);
  }

  /** The number of bytes so far. */
  long size() {
    return stored;
  }

  /** The result of a run whose runner reported one. */
  RunResult result(RunnerEvent.Result result) {
    byte[] end = result.tail() == null ? tail : result.tail();
    return result(
            result.outputBytes(),
            end,
            result.sha256(),
            result.error() == null
                ? null
                : RunErrorBuilder.builder()
                    .type(result.error().type())
                    .message(result.error().message())
                    .line(result.error().line())
                    .column(result.error().column())
                    .traceback(result.error().traceback())
                    .code(result.error().code())
                    .build())
        .with(builder -> RunValue.of(result).ifPresent(value -> value.addTo(builder)));
  }

  /** The result of a run without a reported result: the output so far. */
  public RunResult partialResult() {
    return result(stored, tail, null, null);
  }

  private RunResult result(
      long outputBytes, byte[] end, @Nullable String digest, @Nullable RunError error) {
    byte[] all = head.toByteArray();
    boolean whole = outputBytes <= WHOLE && outputBytes == stored;
    return RunResultBuilder.builder()
        .output(text(all, 0, whole ? all.length : Math.min(all.length, HALF)))
        .outputTail(whole ? null : text(end, Math.max(0, end.length - HALF), end.length))
        .outputBytes(outputBytes)
        .storedBytes(stored)
        .truncated(stored < outputBytes)
        .outputDigest(digest)
        .error(error)
        .build();
  }

  /** Decodes text; invalid UTF-8 becomes the replacement character, too. */
  private static String text(byte[] bytes, int from, int to) {
    return PodText.output(new String(bytes, from, to - from, UTF_8));
  }
}
