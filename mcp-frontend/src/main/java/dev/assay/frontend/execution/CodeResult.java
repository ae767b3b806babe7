package dev.assay.frontend.execution;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.artifact.ResourceUri;
import dev.assay.frontend.call.UnlistedContent;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunSummary;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TokenEstimate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run in code mode.
 *
 * @param codePath where the code was, relative to the working directory; its address where it was
 *     not started
 * @param artifacts the first of the files that the code has left
 * @param artifactsTotal how many there are; absent where all are listed
 * @param artifactsLeftOut which files were not kept, and why; absent where all were
 * @param error type and message; absent where it succeeded
 * @param failure further facts of an error
 * @param durationSeconds from the first instruction to the end; 0 where it was not started
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CodeResult(
    boolean success,
    @JsonProperty("code_path") String codePath,
    Logs logs,
    List<File> artifacts,
    @JsonProperty("artifacts_total") @Nullable Integer artifactsTotal,
    @JsonProperty("artifacts_left_out") @Nullable String artifactsLeftOut,
    @Nullable String error,
    @JsonUnwrapped @Nullable FailureDocument failure,
    @JsonProperty("duration_s") double durationSeconds,
    Metadata metadata)
    implements UnlistedContent {
  private static final double MILLIS = 1_000;
  private static final int MAX_ERROR = 1_000;
  private static final int FILES_TOKENS = 1_000;

  /** Of the names of the fields, the length and the signs. */
  private static final int FILE_TOKENS = 25;

  /**
   * What the code printed.
   *
   * @param stdout everything, in its order, as the text of the reply has it
   * @param stderr what Python wrote to sys.stderr, once more
   */
  public record Logs(String stdout, String stderr) {}

  /** A file that the code has left. */
  public record File(
      String path, String uri, long bytes, @JsonProperty("media_type") String mediaType) {}

  /**
   * About the run.
   *
   * @param agent who created it
   */
  public record Metadata(
      @JsonProperty("execution_mode") String executionMode,
      String run,
      @Nullable String agent,
      @JsonProperty("run_class") @Nullable String runClass) {}

  /**
   * The result of a run that has ended.
   *
   * @param stdout what it printed, as the text of the reply has it
   * @param stderr what it wrote to sys.stderr
   * @param failure null where it succeeded
   */
  public static CodeResult of(
      AnalyticsRun run, String stdout, String stderr, @Nullable FailureDocument failure) {
    String name = run.getMetadata().getName();
    @Nullable Long millis = RunSummary.of(run).durationMs();
    List<Artifact> left = Artifact.allOf(run).stream().filter(Artifact::isShown).toList();
    List<File> files = first(left);
    return new CodeResult(
        RunState.phaseOf(run) == RunPhase.Succeeded,
        Artifact.codeOf(run).map(Artifact::path).orElse(new ResourceUri.Code(name).text()),
        new Logs(stdout, stderr),
        files,
        files.size() < left.size() ? left.size() : null,
        ReplyArtifacts.leftOut(run).orElse(null),
        failure == null ? null : error(run),
        failure,
        millis == null ? 0 : millis / MILLIS,
        new Metadata(
            run.getSpec().runMode().wireName(),
            name,
            run.getSpec().caller(),
            RunState.classOf(run)));
  }

  private static List<File> first(List<Artifact> artifacts) {
    List<File> files = new ArrayList<>();
    int room = FILES_TOKENS;
    for (Artifact one : artifacts) {
      room -= FILE_TOKENS + TokenEstimate.of(one.path()) + TokenEstimate.of(one.uri());
      if (room < 0) {
        break;
      }
      files.add(new File(one.path(), one.uri(), one.bytes(), one.mediaType()));
    }
    return files;
  }

  private static String error(AnalyticsRun run) {
    if (RunState.phaseOf(run) == RunPhase.TimedOut) {
      return "Execution timed out after " + run.getSpec().timeoutSeconds() + " seconds";
    }
    @Nullable RunResult result = RunState.statusOf(run).result();
    @Nullable RunError error = result == null ? null : result.error();
    if (error != null) {
      return Text.oneLine(
          error.type().equals("GuardRefused")
              ? error.message()
              : error.type() + ": " + error.message(),
          MAX_ERROR);
    }
    @Nullable String message = RunState.statusOf(run).message();
    return message == null ? "The run failed" : Text.oneLine(message, MAX_ERROR);
  }
}
