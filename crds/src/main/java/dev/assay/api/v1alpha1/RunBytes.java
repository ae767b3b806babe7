package dev.assay.api.v1alpha1;

import dev.assay.api.text.TextBytes;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** About how many bytes the API server stores of a run. */
public final class RunBytes {
  /**
   * Of a run on average: the runs of a namespace may have this many bytes for each of the runs that
   * it may have.
   */
  public static final int AVERAGE = 16 * 1024;

  /** Annotation of a light copy, which has no long texts any more. */
  public static final String ANNOTATION = "assay.dev/bytes";

  /** Of metadata, managed fields and short fields. */
  private static final int OTHERS = 2048;

  private static final int ARTIFACT = 500;
  private static final int INPUT = 1000;
  private static final int ESCAPE = 6;

  private RunBytes() {}

  /** Those of a run, or of the run that a light copy was made of. */
  public static long of(AnalyticsRun run) {
    Map<String, String> annotations = run.getMetadata().getAnnotations();
    @Nullable String counted = annotations == null ? null : annotations.get(ANNOTATION);
    return counted == null ? count(run) : Long.parseLong(counted);
  }

  /** Those of a run as the API server returned it. */
  public static long count(AnalyticsRun run) {
    AnalyticsRunSpec spec = run.getSpec();
    long files = 0;
    for (RunFile file : spec.files() == null ? List.<RunFile>of() : spec.files()) {
      files += bytes(file.text());
    }
    @Nullable AnalyticsRunStatus status = run.getStatus();
    @Nullable RunResult result = status == null ? null : status.result();
    @Nullable RunError error = result == null ? null : result.error();
    return OTHERS
        + bytes(spec.code())
        + bytes(spec.input())
        + (spec.builtin() == null ? 0 : bytes(spec.builtin().arguments()))
        + (long) INPUT * spec.inputList().size()
        + files
        + (result == null
            ? 0
            : bytes(result.output()) + bytes(result.outputTail()) + bytes(result.value()))
        + (error == null ? 0 : bytes(error.message()) + bytes(error.traceback()))
        + (status == null ? 0 : (long) ARTIFACT * status.artifactList().size());
  }

  /** The API server stores JSON, in which some characters take six bytes. */
  public static long bytes(@Nullable String text) {
    return text == null
        ? 0
        : text.codePoints()
            .mapToLong(
                character ->
                    switch (character) {
                      case '<', '>', '&' -> ESCAPE;
                      default -> TextBytes.json(character);
                    })
            .sum();
  }
}
