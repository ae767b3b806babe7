package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.Snapshot;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What each reply over a dataset says of the data under it, where that is not what it should be.
 */
public final class DatasetRemarks {
  private static final String OLDER_RULES =
      " was read by older rules: load it again with replace to have its values as in the source.";

  private DatasetRemarks() {}

  /** Of datasets that are read, a line each; empty for most. */
  public static List<String> of(Collection<Dataset> read) {
    return read.stream()
        .flatMap(
            dataset ->
                Stream.concat(
                    earlier(dataset).stream(),
                    DatasetState.usable(dataset)
                        .flatMap(snapshot -> olderRules(dataset, snapshot))
                        .stream()))
        .toList();
  }

  private static Optional<String> earlier(Dataset dataset) {
    return DatasetState.of(dataset) instanceof DatasetState.Failed
        ? earlierData(dataset)
            .map(
                line ->
                    "Dataset '" + DatasetText.nameOf(dataset) + "' could not be replaced. " + line)
        : Optional.empty();
  }

  /** That a dataset which could not be replaced still has what it had. */
  public static Optional<String> earlierData(Dataset dataset) {
    return DatasetState.usable(dataset)
        .map(snapshot -> "Its earlier data (" + DatasetText.shape(snapshot) + ") stays in use.");
  }

  /** That the source of a snapshot would be read by other rules now. */
  static Optional<String> olderRules(Dataset dataset, Snapshot snapshot) {
    return snapshot.wasReadByOlderRules()
        ? Optional.of("Dataset '" + DatasetText.nameOf(dataset) + "'" + OLDER_RULES)
        : Optional.empty();
  }
}
