package dev.assay.frontend.argument;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.FilePath;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The parameters of a run beside its code that tools and REST have in common. */
public final class RunParameters {
  private static final Limit FILES_LIMIT = new Limit(Bounds.MAX_FILES_BYTES);
  private static final Limit LIST_LIMIT = new Limit(16 * 1024);
  private static final int MAX_SHOWN = 80;

  /** Standard where it is not named. */
  public static final Parameter<RunMode> MODE =
      Parameter.withDefault(
          "mode",
          ArgumentTypes.choice(RunMode.current(), RunMode::wireName)
              .orAlias(RunMode.LEGACY.wireName(), RunMode.STANDARD),
          RunMode.STANDARD.wireName());

  public static final Parameter<Optional<List<RunFile>>> FILES =
      Parameter.optional("files", ArgumentTypes.object(FILES_LIMIT).map(RunParameters::files))
          .describedAs("{\"lib/a.py\": \"text\"}");

  private static final Parameter<String> RUN =
      Parameter.required("run", ArgumentTypes.text(new Limit(Bounds.MAX_SUBDOMAIN)));
  private static final Parameter<Optional<String>> ARTIFACT =
      Parameter.optional("artifact", ArgumentTypes.text(new Limit(Bounds.MAX_PATH_BYTES)));
  private static final Parameter<Optional<String>> PATH =
      Parameter.optional("path", ArgumentTypes.text(new Limit(Bounds.MAX_PATH_BYTES)));

  /** Of a member of {@link #INPUTS}. */
  private static final Parameters INPUT = Parameters.of(RUN, ARTIFACT, PATH);

  public static final Parameter<Optional<List<RunInput>>> INPUTS =
      Parameter.optional(
              "inputs",
              ArgumentTypes.listOf(
                  ArgumentTypes.objectOf(INPUT, LIST_LIMIT).map(RunParameters::input),
                  Bounds.MAX_INPUTS,
                  LIST_LIMIT))
          .describedAs("Of earlier runs: a file (artifact), or the frames kept");

  public static final Parameter<Optional<List<String>>> KEEP =
      Parameter.optional(
              "keep",
              ArgumentTypes.listOf(
                  new ArgumentType<>("string", RunParameters::frame),
                  Bounds.MAX_KEPT_FRAMES,
                  LIST_LIMIT))
          .describedAs("Frames to keep");

  private RunParameters() {}

  private static List<RunFile> files(Map<?, ?> given) {
    if (given.size() > Bounds.MAX_FILES) {
      throw BadArgumentException.value("'files' has more than " + Bounds.MAX_FILES + " elements");
    }
    List<RunFile> files = new ArrayList<>();
    long bytes = 0;
    for (Map.Entry<?, ?> file : given.entrySet()) {
      String path = String.valueOf(file.getKey());
      requirePath("files", path);
      requireFree("files", path);
      if (!(file.getValue() instanceof String text)) {
        throw BadArgumentException.type(
            "'files': the text of '" + Text.oneLine(path, MAX_SHOWN) + "' must be a string");
      }
      ArgumentTypes.requireUnicode("files", text);
      bytes += Text.bytes(text);
      files.add(new RunFile(path, text));
    }
    if (bytes > Bounds.MAX_FILES_BYTES) {
      throw BadArgumentException.tooLong("files", bytes, FILES_LIMIT);
    }
    return files;
  }

  private static RunInput input(Arguments input) {
    String run = input.get(RUN);
    if (!RunNames.isValid(run)) {
      throw BadArgumentException.value(
          "'inputs': '" + Text.oneLine(run, MAX_SHOWN) + "' is not the name of a run");
    }
    Optional<String> artifact = input.get(ARTIFACT);
    Optional<String> path = input.get(PATH);
    artifact.ifPresent(name -> requirePath("inputs", name));
    path.ifPresent(name -> requirePath("inputs", name));
    path.or(() -> artifact).ifPresent(name -> requireFree("inputs", name));
    if (path.isPresent() && artifact.isEmpty()) {
      throw BadArgumentException.value(
          "'inputs': 'path' requires 'artifact'; kept frames are bound under their names");
    }
    return new RunInput(run, artifact.orElse(null), path.orElse(null));
  }

  private static void requirePath(String argument, String path) {
    if (!FilePath.isValid(path)) {
      throw BadArgumentException.value(
          "'%s': '%s' must be a relative path without '.', '..', empty parts, backslashes and control characters, of at most %d bytes"
              .formatted(argument, Text.oneLine(path, MAX_SHOWN), Bounds.MAX_PATH_BYTES));
    }
  }

  private static void requireFree(String argument, String path) {
    if (FilePath.isReserved(path)) {
      throw BadArgumentException.value(
          "'%s': the path '%s' is reserved for code mode; use another path"
              .formatted(argument, Text.oneLine(path, MAX_SHOWN)));
    }
  }

  private static String frame(String argument, Object value) {
    if (!(value instanceof String name) || !AnalyticsRunSpec.isFrameName(name)) {
      throw BadArgumentException.value(
          "'" + argument + "' must be the name of a variable in ASCII, such as by_region");
    }
    return name;
  }
}
