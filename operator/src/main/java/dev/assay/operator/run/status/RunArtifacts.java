package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.operator.output.ArtifactList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files that a run left, as its status reports them.
 *
 * @param stored those that are stored, by their numbers
 * @param message which were left out, and why; null if none were
 */
public record RunArtifacts(List<RunArtifact> stored, @Nullable String message) {
  /** No files, and none were left out. */
  public static final RunArtifacts NONE = new RunArtifacts(List.of(), null);

  /** The container ended before its files could be opened. */
  public static final RunArtifacts CONTAINER_ENDED =
      new RunArtifacts(List.of(), "No files were collected: the worker's container ended first");

  /** What is stored. */
  public static RunArtifacts of(ArtifactList list) {
    return new RunArtifacts(
        list.artifacts().stream()
            .map(
                entry ->
                    new RunArtifact(
                        entry.path(), entry.bytes(), entry.sha256(), MediaTypes.of(entry.path())))
            .toList(),
        list.message());
  }

  /** A status with these. */
  AnalyticsRunStatus addTo(AnalyticsRunStatus status) {
    return status
        .with()
        .artifacts(stored.isEmpty() ? null : stored)
        .artifactsMessage(message)
        .build();
  }
}
