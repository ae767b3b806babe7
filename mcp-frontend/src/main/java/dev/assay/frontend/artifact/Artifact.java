package dev.assay.frontend.artifact;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.FilePath;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file that a run has left, as its status lists it. The operator has checked the path; nobody has
 * looked into the file.
 *
 * @param run name of the run
 * @param number in the store, from 1
 * @param path relative to the working directory of the run
 * @param sha256 in hexadecimal
 * @param mediaType by the extension
 */
public record Artifact(
    String run, int number, String path, long bytes, String sha256, String mediaType) {
  /** The rows of a query as JSON, one array of cells a line. */
  public static final String ROWS = "results/rows.ndjson";

  /** The rows of a query as a table. */
  public static final String RESULT = "results/result.parquet";

  /** The chart of a query. */
  public static final String CHART = "charts/chart.png";

  /** The same for programs, as plotly has it. */
  public static final String CHART_DATA = "charts/chart.plotly.json";

  /** What a run keeps for itself: its code, its logs. */
  private static final String WORK = FilePath.WORK + "/";

  private static final List<String> OF_RESULTS = List.of("results/", "charts/", "frames/");

  /** Longest path in a text for people. */
  private static final int MAX_SHOWN = 256;

  /** All artifacts of a run, in their order. */
  public static List<Artifact> allOf(AnalyticsRun run) {
    List<RunArtifact> listed = RunState.statusOf(run).artifactList();
    List<Artifact> all = new ArrayList<>(listed.size());
    for (RunArtifact one : listed) {
      all.add(
          new Artifact(
              run.getMetadata().getName(),
              all.size() + 1,
              one.path(),
              one.bytes(),
              one.sha256(),
              one.mediaType()));
    }
    return all;
  }

  /** The artifact of a path; empty where the run has none. */
  public static Optional<Artifact> find(AnalyticsRun run, String path) {
    return allOf(run).stream().filter(artifact -> artifact.path.equals(path)).findFirst();
  }

  /** The code of a run in code mode, as it was in the working directory. */
  public static Optional<Artifact> codeOf(AnalyticsRun run) {
    return first(run, WORK + "generated/");
  }

  /** What a run in code mode has written to sys.stderr. */
  public static Optional<Artifact> errorLogOf(AnalyticsRun run) {
    return first(run, WORK + "logs/");
  }

  private static Optional<Artifact> first(AnalyticsRun run, String folder) {
    return allOf(run).stream().filter(artifact -> artifact.path.startsWith(folder)).findFirst();
  }

  /** Whether replies name it: what a run keeps for itself is read by those who look for it. */
  public boolean isShown() {
    return !path.startsWith(WORK);
  }

  /** Whether the code has left it, and not Assay itself beside a result. */
  public boolean isOwn() {
    return isShown() && OF_RESULTS.stream().noneMatch(path::startsWith);
  }

  /** The path, fit to be shown. */
  public String shownPath() {
    return Text.oneLine(path, MAX_SHOWN);
  }

  /** The last part of the path. */
  public String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The address for {@code resources/read}. */
  public String uri() {
    return new ResourceUri.File(run, path).text();
  }

  /** The path of REST. */
  public String restPath() {
    return "/api/v1/runs/" + run + "/artifacts/" + ResourceUri.encoded(path);
  }

  /** A reference in a reply. */
  public ContentBlock.ResourceLink link() {
    return new ContentBlock.ResourceLink(uri(), shownPath(), mediaType, bytes);
  }
}
