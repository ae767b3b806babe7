package dev.assay.api.v1alpha1;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which artifacts the inputs of a run stand for. */
public final class RunInputs {
  private RunInputs() {}

  /** The artifacts, or why there are none. */
  public sealed interface Resolution {
    /** The artifacts of all inputs, in their order; frames of one run by their names. */
    record Resolved(List<PinnedInput> inputs) implements Resolution {}

    /**
     * An input cannot be had.
     *
     * @param message one sentence
     */
    record Missing(String message) implements Resolution {}
  }

  /**
   * Finds the artifacts.
   *
   * @param runs a run of the same namespace, with its status, by its name
   */
  public static Resolution resolve(
      AnalyticsRunSpec spec, Function<String, Optional<AnalyticsRun>> runs) {
    List<PinnedInput> all = new ArrayList<>();
    for (RunInput input : spec.inputList()) {
      Optional<AnalyticsRun> source = runs.apply(input.run());
      if (source.isEmpty()) {
        return new Resolution.Missing(notFound(input));
      }
      List<PinnedInput> found = artifacts(input, source.get(), FrameFile.of(spec.language()));
      if (found.isEmpty()) {
        return new Resolution.Missing(missing(input, source.get()));
      }
      all.addAll(found);
    }
    return new Resolution.Resolved(List.copyOf(all));
  }

  /** Says that there is no run of an input. */
  public static String notFound(RunInput input) {
    return "Input run \"%s\" was not found in this namespace; it may have been deleted after its"
            .formatted(input.run())
        + " time to live";
  }

  private static List<PinnedInput> artifacts(
      RunInput input, AnalyticsRun source, FrameFile preferred) {
    return input.artifact() == null
        ? frames(source, preferred)
        : numbered(source)
            .filter(each -> each.artifact.path().equals(input.artifact()))
            .map(each -> each.asFile(input.path()))
            .toList();
  }

  private static List<PinnedInput> frames(AnalyticsRun source, FrameFile preferred) {
    Map<String, Numbered> frames = new TreeMap<>();
    numbered(source)
        .forEach(
            each ->
                each.frameName()
                    .ifPresent(
                        name ->
                            frames.merge(
                                name,
                                each,
                                (one, other) -> one.isStoredAs(preferred) ? one : other)));
    return frames.entrySet().stream()
        .map(frame -> frame.getValue().asFrame(frame.getKey()))
        .toList();
  }

  private static String missing(RunInput input, AnalyticsRun source) {
    String run = input.run();
    if (source.getStatus() == null
        || source.getStatus().phase() == null
        || !source.getStatus().phase().isFinal()) {
      return "Input run \"%s\" has not ended: wait for it, then create this run".formatted(run);
    }
    return input.artifact() == null
        ? "Run \"%s\" kept no frames: name them in its field keep".formatted(run)
        : "Run \"%s\" has no artifact \"%s\"; status.artifacts lists those that it has"
            .formatted(run, input.artifact());
  }

  private static Stream<Numbered> numbered(AnalyticsRun source) {
    List<RunArtifact> artifacts =
        source.getStatus() == null ? List.of() : source.getStatus().artifactList();
    return IntStream.range(0, artifacts.size())
        .mapToObj(index -> new Numbered(source, index + 1, artifacts.get(index)));
  }

  private record Numbered(AnalyticsRun run, int number, RunArtifact artifact) {
    /** The name of the frame that it is; empty for every other file. */
    Optional<String> frameName() {
      String path = artifact.path();
      String folder = FrameFile.FOLDER + "/";
      return Stream.of(FrameFile.values())
          .map(FrameFile::extension)
          .filter(extension -> path.startsWith(folder) && path.endsWith(extension))
          .map(extension -> path.substring(folder.length(), path.length() - extension.length()))
          .filter(AnalyticsRunSpec::isFrameName)
          .findFirst();
    }

    boolean isStoredAs(FrameFile file) {
      return artifact.path().endsWith(file.extension());
    }

    PinnedInput asFile(@Nullable String path) {
      return pinned(path == null ? artifact.path() : path, null);
    }

    PinnedInput asFrame(String name) {
      return pinned(null, name);
    }

    private PinnedInput pinned(@Nullable String path, @Nullable String frame) {
      return new PinnedInput(
          run.getMetadata().getName(),
          run.getMetadata().getUid(),
          number,
          artifact.path(),
          artifact.bytes(),
          artifact.sha256(),
          path,
          frame);
    }
  }
}
