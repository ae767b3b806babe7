package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.frontend.analytics.AnalyticsException;
import dev.assay.frontend.analytics.ArtifactFiles;
import dev.assay.frontend.analytics.DatasetFiles;
import dev.assay.frontend.analytics.ErrorCode;
import dev.assay.frontend.dataset.DatasetText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a query reads.
 *
 * @param datasets in their order
 * @param inputs artifacts of earlier runs
 */
record QueryFiles(List<Dataset> datasets, List<RunInput> inputs) {
  QueryFiles {
    datasets = List.copyOf(datasets);
    inputs = List.copyOf(inputs);
  }

  /**
   * What a tool reads that reads one file.
   *
   * @param name for the reply
   * @param arguments that tell the run which file
   */
  record One(
      String name, List<Dataset> datasets, List<RunInput> inputs, Map<String, Object> arguments) {
    @Nullable List<RunInput> inputsOrNull() {
      return inputs.isEmpty() ? null : inputs;
    }
  }

  @Nullable List<RunInput> inputsOrNull() {
    return inputs.isEmpty() ? null : inputs;
  }

  /**
   * What some paths name. A dataset comes before an export of the same path.
   *
   * @param argument what the paths were given as
   */
  static QueryFiles of(
      DatasetFiles datasets, ArtifactFiles artifacts, String argument, List<String> paths) {
    List<String> ofDatasets = new ArrayList<>();
    Set<RunInput> inputs = new LinkedHashSet<>();
    for (int i = 0; i < paths.size(); i++) {
      List<RunInput> found = artifacts(datasets, artifacts, argument + "[" + i + "]", paths.get(i));
      if (found.isEmpty()) {
        ofDatasets.add(paths.get(i));
      }
      inputs.addAll(found);
    }
    requireDifferent(argument, inputs);
    return new QueryFiles(datasets.all(argument, ofDatasets), List.copyOf(inputs));
  }

  /** What one path names. */
  static One one(DatasetFiles datasets, ArtifactFiles artifacts, String argument, String path) {
    List<RunInput> found = artifacts(datasets, artifacts, argument, path);
    if (found.size() > 1) {
      throw new AnalyticsException(
          ErrorCode.INVALID_INPUT,
          "'%s' names %d files, and this tool reads one".formatted(argument, found.size()));
    }
    if (found.size() == 1) {
      String file = Objects.requireNonNull(found.getFirst().artifact());
      return new One(file, List.of(), found, Map.of("file", file));
    }
    Dataset dataset = datasets.one(argument, path);
    return new One(
        DatasetText.nameOf(dataset),
        List.of(dataset),
        List.of(),
        Map.of("dataset", dataset.getMetadata().getName()));
  }

  private static List<RunInput> artifacts(
      DatasetFiles datasets, ArtifactFiles artifacts, String argument, String path) {
    if (ArtifactFiles.isAddress(path)) {
      return List.of(artifacts.ofAddress(argument, path));
    }
    return datasets.knows(path) ? List.of() : artifacts.ofExport(path);
  }

  /** Each becomes a file of its own path. */
  private static void requireDifferent(String argument, Set<RunInput> inputs) {
    if (inputs.size() > Bounds.MAX_INPUTS) {
      throw new AnalyticsException(
          ErrorCode.INVALID_INPUT,
          "'%s' names %d artifacts; a query can read at most %d"
              .formatted(argument, inputs.size(), Bounds.MAX_INPUTS));
    }
    Set<String> paths = new LinkedHashSet<>();
    for (RunInput input : inputs) {
      if (!paths.add(Objects.requireNonNull(input.artifact()))) {
        throw new AnalyticsException(
            ErrorCode.INVALID_INPUT,
            "'%s' names two artifacts with the path %s; export one of them to another path"
                .formatted(argument, input.artifact()));
      }
    }
  }
}
