package dev.assay.operator.run.execution;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.FilePath;
import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.operator.runner.JobFiles;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an export writes to: what its arguments name, in as far as they are valid. The worker
 * refuses others.
 *
 * @param path of the file or folder, relative to the working directory
 * @param isFolder whether it is a folder, with a file for each value of a column
 */
record ExportTarget(String path, boolean isFolder) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Where exports go whose arguments name no path. */
  private static final ExportTarget USUAL = new ExportTarget("exports", true);

  static ExportTarget of(@Nullable BuiltinSpec export) {
    String arguments = export == null ? null : export.arguments();
    if (arguments == null) {
      return USUAL;
    }
    try {
      JsonNode members = JSON.readTree(arguments);
      String path = members.path("path").textValue();
      return path != null && FilePath.isValid(path)
          ? new ExportTarget(path, members.path("partitionBy").isTextual())
          : USUAL;
    } catch (JsonProcessingException e) {
      return USUAL;
    }
  }

  /** What is collected of it. */
  JobFiles.Collect collect(ArtifactLimits limits) {
    return isFolder
        ? JobFiles.Collect.folders(List.of(path), limits.maxCount(), limits.limitBytes())
        : new JobFiles.Collect(
            List.of(), List.of(path), null, limits.maxCount(), limits.limitBytes());
  }
}
