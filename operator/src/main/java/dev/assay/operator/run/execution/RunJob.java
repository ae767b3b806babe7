package dev.assay.operator.run.execution;

import static java.util.Objects.requireNonNull;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.ChartSpec;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.JobFiles;
import dev.assay.operator.tool.RunToolPolicy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The job of a run. */
public final class RunJob {
  private static final String NO_ARGUMENTS = "{}";
  private static final int MAX_NAME = 128;
  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^A-Za-z0-9._-]");

  private RunJob() {}

  /**
   * Why the runner cannot do the work of a run; empty if it can.
   *
   * @param guard the check of its code; null for none
   * @param className the class that its Pod was created from
   */
  static Optional<String> missing(
      AnalyticsRunSpec spec, Job.@Nullable Guard guard, Hello runner, String className) {
    return Stream.concat(
            features(spec), feature(guard != null, Hello.CODE, "the guard of its code").stream())
        .filter(feature -> !runner.supports(feature.name()))
        .findFirst()
        .map(
            feature ->
                "The runner image of class '"
                    + className
                    + "' is too old for "
                    + feature.description()
                    + ": the class needs a newer image");
  }

  private record Feature(String name, String description) {}

  private static Stream<Feature> features(AnalyticsRunSpec spec) {
    ReplySpec reply = spec.reply();
    return Stream.of(
            kind(spec),
            feature(spec.runMode() == RunMode.CODE, Hello.CODE, "runs in mode code"),
            feature(!spec.fileList().isEmpty(), Hello.FILES, "runs with files"),
            feature(!spec.inputList().isEmpty(), Hello.INPUTS, "runs with inputs"),
            feature(!spec.keptFrames().isEmpty(), Hello.KEEP, "runs that keep frames"),
            feature(reply != null && reply.chart() != null, Hello.CHARTS, "charts"),
            feature(
                reply != null && reply.timeZone() != null,
                Hello.TIME_ZONE,
                "queries with a time zone"),
            feature(RunToolPolicy.asksForTools(spec), Hello.TOOLS, "runs with tools"),
            feature(isExport(spec), Hello.EXPORT, "exports"))
        .flatMap(Optional::stream);
  }

  private static Optional<Feature> kind(AnalyticsRunSpec spec) {
    return switch (spec.language()) {
      case PYTHON -> feature(spec.reply() != null, Hello.REPLY, "runs of Python with a reply");
      case POLARS -> feature(true, Hello.POLARS, "runs of Polars");
      case SQL ->
          spec.builtin() == null
              ? feature(true, Hello.SQL, "runs of SQL")
              : feature(true, Hello.BUILTIN, "runs with builtin");
      case JAVASCRIPT, TYPESCRIPT ->
          feature(true, Hello.JAVASCRIPT, "runs of JavaScript and TypeScript");
      case UNKNOWN -> throw new IllegalArgumentException("a language of a newer version");
    };
  }

  private static Optional<Feature> feature(boolean isNeeded, String name, String description) {
    return isNeeded ? Optional.of(new Feature(name, description)) : Optional.empty();
  }

  static boolean isExport(AnalyticsRunSpec spec) {
    return spec.builtin() != null && spec.builtin().name() == Builtin.EXPORT;
  }

  /**
   * The job.
   *
   * @param run the complete run, with its code
   * @param read what its Pod mounts and has received
   * @param runner the runner that gets it; a member that it does not support is left out
   * @param policy what the class of the run allows
   */
  static Job of(AnalyticsRun run, Read read, Hello runner, ClassPolicy policy, Job.Limits limits) {
    AnalyticsRunSpec spec = run.getSpec();
    List<Job.Dataset> datasets = datasets(spec, read, runner);
    JobFiles files = RunFiles.of(spec, read.inputs(), runner, policy.artifacts());
    return switch (spec.language()) {
      case PYTHON ->
          new Job.Python(
              code(spec),
              spec.input(),
              runner.supports(Hello.DATASETS) ? datasets : null,
              spec.reply() == null ? null : reply(spec),
              spec.runMode() == RunMode.CODE ? spec.runMode().wireName() : null,
              spec.runMode() == RunMode.CODE ? scriptName(run) : null,
              policy.guard(),
              tools(runner, policy),
              files,
              limits);
      case POLARS -> new Job.Polars(code(spec), spec.input(), datasets, reply(spec), files, limits);
      case SQL -> {
        BuiltinSpec builtin = spec.builtin();
        yield builtin == null
            ? new Job.Sql(code(spec), spec.input(), datasets, reply(spec), files, limits)
            : new Job.Builtin(
                builtin.name().wireName(),
                builtin.arguments() == null ? NO_ARGUMENTS : builtin.arguments(),
                datasets,
                files,
                limits);
      }
      case JAVASCRIPT, TYPESCRIPT ->
          new Job.JavaScript(
              code(spec), spec.language().wireName(), spec.input(), tools(runner, policy), limits);
      case UNKNOWN -> throw new IllegalArgumentException("a language of a newer version");
    };
  }

  private static Job.@Nullable Tools tools(Hello runner, ClassPolicy policy) {
    RunToolPolicy tools = policy.tools();
    return tools == null || !runner.supports(Hello.TOOLS)
        ? null
        : new Job.Tools(tools.maxParallel(), tools.outcomeBytes());
  }

  /**
   * What a run reads.
   *
   * @param snapshots of its datasets
   * @param areMounted whether the Pod was created with them; if not, its supervisor opens them
   * @param inputs the artifacts that the Pod has received, in the order of their numbers
   */
  record Read(List<PinnedSnapshot> snapshots, boolean areMounted, List<PinnedInput> inputs) {}

  /**
   * What a class allows.
   *
   * @param artifacts limits of the files that a run leaves
   * @param guard the check of its code; null for none
   * @param tools which tools its code may call; null if it cannot call any
   */
  record ClassPolicy(
      ArtifactLimits artifacts, Job.@Nullable Guard guard, @Nullable RunToolPolicy tools) {}

  /** What the hello of a runner that opens snapshots for a job identifies them by. */
  public static String digest(List<PinnedSnapshot> snapshots) {
    return Sha256.hex(
        snapshots.stream()
            .map(snapshot -> snapshot.dataset() + " " + snapshot.path() + "\0")
            .collect(Collectors.joining()));
  }

  private static Job.Reply reply(AnalyticsRunSpec spec) {
    ReplySpec wanted = spec.reply();
    ChartSpec chart = wanted == null ? null : wanted.chart();
    return new Job.Reply(
        spec.replyRows(),
        chart == null ? null : new Job.Chart(chart.type() == null ? null : chart.type().wireName()),
        wanted == null ? null : wanted.timeZone());
  }

  /** Who runs what, as the name of a file. */
  static String scriptName(AnalyticsRun run) {
    String caller = run.getSpec().caller();
    String name = (caller == null ? "agent" : caller) + "_" + run.getMetadata().getName();
    String safe = NOT_IN_NAMES.matcher(name).replaceAll("-").replaceFirst("^[^A-Za-z0-9]+", "");
    return safe.substring(Math.max(0, safe.length() - MAX_NAME)).replaceFirst("^[^A-Za-z0-9]+", "");
  }

  /** A rule of the CRD requires it where there is no builtin. */
  private static String code(AnalyticsRunSpec spec) {
    return requireNonNull(spec.code());
  }

  private static List<Job.Dataset> datasets(AnalyticsRunSpec spec, Read read, Hello runner) {
    Map<String, String> displayNames = new HashMap<>();
    Map<String, String> paths = new HashMap<>();
    for (PinnedSnapshot snapshot : read.snapshots()) {
      if (runner.supports(Hello.WORKSPACE)) {
        displayNames.put(snapshot.dataset(), snapshot.displayName());
      }
      if (!read.areMounted()) {
        paths.put(snapshot.dataset(), snapshot.path());
      }
    }
    return spec.datasetNames().stream()
        .map(name -> new Job.Dataset(name, displayNames.get(name), paths.get(name)))
        .toList();
  }
}
