package dev.assay.operator.run.admission;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.FilePath;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.operator.runner.JsonValue;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks of what a run brings along and reads, which the rules of its CRD cannot express. */
public final class ProgramChecks {
  /** What tracebacks call the code. */
  private static final String SCRIPT = "main.py";

  private ProgramChecks() {}

  /**
   * Why a spec is invalid; empty if it is not.
   *
   * @param spec complete, with all its texts
   */
  static Optional<String> problem(AnalyticsRunSpec spec) {
    long files = spec.fileList().stream().mapToLong(file -> bytes(file.text())).sum();
    if (files > Bounds.MAX_FILES_BYTES) {
      return Optional.of(
          "spec.files have %d bytes together, and at most %d are allowed"
              .formatted(files, Bounds.MAX_FILES_BYTES));
    }
    long all = files + bytes(spec.code()) + bytes(spec.input());
    if (all > Bounds.MAX_PROGRAM_BYTES) {
      return Optional.of(
          "spec.code, spec.input and spec.files have %d bytes together, and at most %d are allowed"
              .formatted(all, Bounds.MAX_PROGRAM_BYTES));
    }
    if (new HashSet<>(spec.keptFrames()).size() != spec.keptFrames().size()) {
      return Optional.of("spec.keep names a frame twice");
    }
    return conflict(
        Stream.concat(
                spec.fileList().stream().map(RunFile::path),
                spec.inputList().stream().map(ProgramChecks::path).filter(Objects::nonNull))
            .toList());
  }

  /**
   * Why the input of a run is invalid; empty if it is not.
   *
   * @param spec complete, with all its texts
   */
  public static Optional<String> inputProblem(AnalyticsRunSpec spec) {
    return spec.input() == null || JsonValue.isValid(spec.input())
        ? Optional.empty()
        : Optional.of(
            "spec.input must be a single JSON value with a nesting depth of at most %d"
                .formatted(JsonValue.MAX_DEPTH));
  }

  private static long bytes(@Nullable String text) {
    return text == null ? 0 : text.getBytes(UTF_8).length;
  }

  private static @Nullable String path(RunInput input) {
    return input.path() == null ? input.artifact() : input.path();
  }

  private static Optional<String> conflict(List<String> paths) {
    Set<String> files = new HashSet<>();
    for (String path : paths) {
      if (path.equals(SCRIPT)) {
        return Optional.of(
            "spec.files and spec.inputs cannot name \"%s\", which is the code".formatted(SCRIPT));
      }
      if (FilePath.isReserved(path)) {
        return Optional.of(
            "spec.files and spec.inputs cannot name \"%s\": code mode keeps its own files in %s; use another path"
                .formatted(path, FilePath.WORK));
      }
      if (!files.add(path)) {
        return Optional.of("spec.files and spec.inputs name \"%s\" twice".formatted(path));
      }
    }
    for (String path : paths) {
      for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
        if (files.contains(path.substring(0, slash))) {
          return Optional.of(
              "spec.files and spec.inputs name \"%s\" as a file and as a folder"
                  .formatted(path.substring(0, slash)));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Why a run cannot read its inputs or keep its frames in a class; empty if it can.
   *
   * @param limitBytes of the artifacts of the class
   */
  static Optional<String> problem(
      AnalyticsRunSpec spec, List<PinnedInput> inputs, long limitBytes, String className) {
    if (limitBytes == 0 && !spec.keptFrames().isEmpty()) {
      return Optional.of(
          "spec.keep requires a class that collects files: artifacts.limitBytes of class '%s' is 0"
              .formatted(className));
    }
    if (inputs.size() > Bounds.MAX_PINNED_INPUTS) {
      return Optional.of(
          "spec.inputs contains %d artifacts; the maximum is %d"
              .formatted(inputs.size(), Bounds.MAX_PINNED_INPUTS));
    }
    long bytes = inputs.stream().mapToLong(PinnedInput::bytes).sum();
    if (bytes > limitBytes) {
      return Optional.of(
          "spec.inputs have %d bytes together, and class '%s' allows at most %d (artifacts.limitBytes)"
              .formatted(bytes, className, limitBytes));
    }
    Set<String> frames = new HashSet<>();
    return inputs.stream()
        .map(PinnedInput::frame)
        .filter(Objects::nonNull)
        .filter(frame -> !frames.add(frame))
        .findFirst()
        .map(frame -> "spec.inputs contains two frames named \"%s\"".formatted(frame));
  }
}
