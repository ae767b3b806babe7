package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ResourceUri;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunAccess;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunPage;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which artifacts the paths of a call name: the address of an artifact, or the path that a file was
 * exported to, of which the newest export counts, of the caller before those of others.
 */
public final class ArtifactFiles {
  private static final String SCHEME = "assay://";
  private static final String WORKSPACE = ExportPath.WORKSPACE + "/";
  private static final int MAX_SHOWN = 80;

  private final RunGateway runs;
  private final Identity caller;

  /** Artifacts that a caller may read. */
  public ArtifactFiles(RunGateway runs, Identity caller) {
    this.runs = runs;
    this.caller = caller;
  }

  /** Whether a path can only be the address of something that a run has left. */
  public static boolean isAddress(String path) {
    return path.startsWith(SCHEME);
  }

  /**
   * The artifact of an address.
   *
   * @param argument what the address was given as
   * @throws AnalyticsException where there is none
   */
  public RunInput ofAddress(String argument, String address) {
    if (!(ResourceUri.parse(address).orElse(null) instanceof ResourceUri.File file)) {
      throw new AnalyticsException(
          ErrorCode.INVALID_INPUT,
          "'%s' is not the address of an artifact, assay://runs/RUN/artifacts/PATH: '%s'"
              .formatted(argument, Text.oneLine(address, MAX_SHOWN)));
    }
    Optional<AnalyticsRun> run = runs.read(caller, file.run());
    if (run.flatMap(found -> Artifact.find(found, file.path())).isEmpty()) {
      throw new AnalyticsException(
          AnalyticsError.of(
              ErrorCode.FILE_NOT_FOUND,
              "There is no artifact '%s' of a run '%s' in your namespace: it may have been deleted"
                  .formatted(Text.oneLine(file.path(), MAX_SHOWN), file.run()),
              List.of("Run the code that created it again, and use the link in its reply"),
              null));
    }
    return new RunInput(file.run(), file.path(), null);
  }

  /** The files of the newest export to a path; empty where there is none. */
  public List<RunInput> ofExport(String path) {
    String wanted = path.startsWith(WORKSPACE) ? path.substring(WORKSPACE.length()) : path;
    List<AnalyticsRun> found =
        runs.list(caller).stream().filter(run -> mayHave(run, wanted)).toList();
    List<AnalyticsRun> own = found.stream().filter(run -> RunAccess.isOwn(run, caller)).toList();
    return RunPage.of(own.isEmpty() ? found : own, null, null, 1).runs().stream()
        .flatMap(run -> runs.read(caller, run.getMetadata().getName()).stream())
        .filter(ArtifactFiles::isExport)
        .flatMap(run -> Artifact.allOf(run).stream())
        .filter(artifact -> isBelow(artifact.path(), wanted))
        .map(artifact -> new RunInput(artifact.run(), artifact.path(), null))
        .toList();
  }

  /** The caches keep the first artifact of a run, and whether it is an export. */
  private static boolean mayHave(AnalyticsRun run, String wanted) {
    List<RunArtifact> artifacts = RunState.statusOf(run).artifactList();
    return !artifacts.isEmpty() && isExport(run) && isBelow(artifacts.getFirst().path(), wanted);
  }

  private static boolean isBelow(String path, String wanted) {
    return path.equals(wanted) || path.startsWith(wanted + "/");
  }

  private static boolean isExport(AnalyticsRun run) {
    @Nullable BuiltinSpec builtin = run.getSpec().builtin();
    return builtin != null && builtin.name() == Builtin.EXPORT;
  }
}
