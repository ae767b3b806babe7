package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunFile;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The specs of runs that were just created, as the watch brought them: a run that starts at once
 * needs no read of its code. They are immutable but for {@code cancel}. The oldest are dropped
 * first.
 */
public final class NewRuns {
  private static final int MAX_CHARACTERS = 8 << 20;

  /** What a spec takes besides its texts. */
  private static final int FIXED_CHARACTERS = 1024;

  /** What an entry of one of its lists takes: names and paths, as long as they may be. */
  private static final int ENTRY_CHARACTERS = 1024;

  private final Map<String, AnalyticsRunSpec> specs = new LinkedHashMap<>();
  private int characters;

  /** The spec with its texts, if it is still there; afterwards it is not. */
  public synchronized Optional<AnalyticsRunSpec> take(AnalyticsRun run) {
    AnalyticsRunSpec spec = specs.remove(run.getMetadata().getUid());
    if (spec != null) {
      characters -= size(spec);
    }
    return Optional.ofNullable(spec);
  }

  /** Keeps the spec of a run that has no status yet. */
  void keep(AnalyticsRun run) {
    String uid = run.getMetadata().getUid();
    // Copies of what is cached are deserialized, too: their texts are empty.
    boolean isLight = texts(run.getSpec()).anyMatch(String::isEmpty);
    if (run.getStatus() == null && uid != null && !isLight) {
      keep(uid, run.getSpec());
    }
  }

  private synchronized void keep(String uid, AnalyticsRunSpec spec) {
    AnalyticsRunSpec before = specs.put(uid, spec);
    characters += size(spec) - (before == null ? 0 : size(before));
    Iterator<AnalyticsRunSpec> oldest = specs.values().iterator();
    while (characters > MAX_CHARACTERS) {
      characters -= size(oldest.next());
      oldest.remove();
    }
  }

  private static int size(AnalyticsRunSpec spec) {
    return FIXED_CHARACTERS
        + ENTRY_CHARACTERS * entries(spec)
        + texts(spec).mapToInt(String::length).sum();
  }

  private static int entries(AnalyticsRunSpec spec) {
    return Stream.of(
            spec.datasets(),
            spec.inputs(),
            spec.keep(),
            spec.files(),
            spec.tools() == null ? null : spec.tools().allowedServers(),
            spec.tools() == null || spec.tools().granted() == null
                ? null
                : spec.tools().granted().servers())
        .flatMap(Stream::ofNullable)
        .mapToInt(List::size)
        .sum();
  }

  /** The texts that the caches leave out. */
  private static Stream<String> texts(AnalyticsRunSpec spec) {
    return Stream.concat(
        Stream.of(
                spec.code(),
                spec.input(),
                spec.builtin() == null ? null : spec.builtin().arguments())
            .flatMap(Stream::ofNullable),
        spec.fileList().stream().map(RunFile::text));
  }
}
