package dev.assay.frontend.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that a run has left.
 *
 * @param path relative to the working directory of the run
 * @param sha256 in hexadecimal
 */
record ArtifactDocument(String path, long bytes, String sha256, String mediaType, String uri) {
  /**
   * The artifacts of a run.
   *
   * @param message what was left out, or why there are none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Listing(List<ArtifactDocument> items, @Nullable String message) {}

  static Listing of(AnalyticsRun run) {
    @Nullable String message = RunState.statusOf(run).artifactsMessage();
    return new Listing(
        Artifact.allOf(run).stream()
            .map(
                one ->
                    new ArtifactDocument(
                        one.path(), one.bytes(), one.sha256(), one.mediaType(), one.uri()))
            .toList(),
        message == null ? null : Text.clean(message));
  }
}
