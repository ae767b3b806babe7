package dev.assay.operator.run.results;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.operator.pod.PodText;
import dev.assay.operator.runner.RunnerEvent;
import java.util.Optional;

/** The value that code returned. A status contains a short one; a longer one is stored. */
final class RunValue {
  private final byte[] utf8;

  private RunValue(byte[] utf8) {
    this.utf8 = utf8;
  }

  /** The value in a result, with the characters that a terminal would act on as escapes. */
  static Optional<RunValue> of(RunnerEvent.Result result) {
    return Optional.ofNullable(result.value())
        .map(value -> new RunValue(PodText.json(value).getBytes(UTF_8)));
  }

  /** A value that was stored. */
  static RunValue stored(byte[] utf8) {
    return new RunValue(utf8);
  }

  /** Whether it must be stored, because a status cannot contain it. */
  boolean isLong() {
    return utf8.length > Bounds.MAX_STATUS_VALUE_BYTES;
  }

  byte[] utf8() {
    return utf8;
  }

  /** Adds what a status says of it. */
  void addTo(RunResultBuilder result) {
    result
        .value(isLong() ? null : new String(utf8, UTF_8))
        .valueBytes((long) utf8.length)
        .valueDigest(Sha256.hex(utf8));
  }
}
