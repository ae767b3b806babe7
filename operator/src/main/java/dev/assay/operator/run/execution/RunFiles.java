package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.FilePath;
import dev.assay.api.v1alpha1.FrameFile;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.JobFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The files that the job of a run reads and leaves. */
final class RunFiles {
  private static final List<String> OF_STANDARD = List.of("artifacts");
  private static final List<String> OF_CODE =
      List.of("data/processed", "reports", "artifacts", "models");
  private static final String RESULTS = "results";
  private static final String CHARTS = "charts";

  private RunFiles() {}

  /**
   * The files of a run.
   *
   * @param spec complete, with the texts of its files
   * @param inputs what the Pod has received, in the order of their numbers
   * @param runner a member that it does not support is left out
   */
  static JobFiles of(
      AnalyticsRunSpec spec, List<PinnedInput> inputs, Hello runner, ArtifactLimits limits) {
    return new JobFiles(
        spec.fileList().isEmpty()
            ? null
            : spec.fileList().stream()
                .map(file -> new JobFiles.TextFile(file.path(), file.text()))
                .toList(),
        inputs.isEmpty() ? null : numbered(inputs),
        spec.keptFrames().isEmpty() ? null : spec.keptFrames(),
        runner.supports(Hello.ARTIFACTS) ? collect(spec, runner, limits) : null);
  }

  private static List<JobFiles.Input> numbered(List<PinnedInput> inputs) {
    return IntStream.range(0, inputs.size())
        .mapToObj(index -> input(index + 1, inputs.get(index)))
        .toList();
  }

  private static JobFiles.Input input(int number, PinnedInput input) {
    return new JobFiles.Input(
        number,
        input.path(),
        input.frame(),
        input.frame() == null ? null : FrameFile.ofPath(input.artifact()).wireName());
  }

  private static JobFiles.@Nullable Collect collect(
      AnalyticsRunSpec spec, Hello runner, ArtifactLimits limits) {
    if (limits.limitBytes() == 0 || limits.maxCount() == 0) {
      return null;
    }
    if (RunJob.isExport(spec)) {
      return ExportTarget.of(spec.builtin()).collect(limits);
    }
    List<String> folders = folders(spec);
    if (folders.isEmpty()) {
      return null;
    }
    JobFiles.Collect collect =
        JobFiles.Collect.folders(folders, limits.maxCount(), limits.limitBytes());
    return runner.supports(Hello.ANYWHERE) ? collect.andAnywhere() : collect;
  }

  /** Where a run may leave files; a profile, a sample and a script leave none. */
  private static List<String> folders(AnalyticsRunSpec spec) {
    if (spec.builtin() != null || spec.language().isScript()) {
      return List.of();
    }
    List<String> folders = new ArrayList<>(spec.runMode() == RunMode.CODE ? OF_CODE : OF_STANDARD);
    boolean hasRows = spec.language() != Language.PYTHON || spec.reply() != null;
    if (hasRows) {
      folders.add(RESULTS);
    }
    if (spec.reply() != null && spec.reply().chart() != null) {
      folders.add(CHARTS);
    }
    if (!spec.keptFrames().isEmpty()) {
      folders.add(FrameFile.FOLDER);
    }
    if (spec.runMode() == RunMode.CODE) {
      // The last: what the code has left is wanted first, where not all of it may be left.
      folders.add(FilePath.WORK);
    }
    return folders;
  }
}
