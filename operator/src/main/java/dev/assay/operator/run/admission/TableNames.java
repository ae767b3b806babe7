package dev.assay.operator.run.admission;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The names by which a query reads its datasets. */
final class TableNames {
  private TableNames() {}

  /** Why a run cannot be: a name in its query would be of two datasets. */
  static Optional<String> conflict(AnalyticsRunSpec spec, List<PinnedSnapshot> snapshots) {
    return readsTables(spec) ? conflict(snapshots) : Optional.empty();
  }

  /** Built-in queries and scripts have the name in Kubernetes, which is of one dataset. */
  private static boolean readsTables(AnalyticsRunSpec spec) {
    return spec.builtin() == null && (spec.language() != Language.PYTHON || spec.reply() != null);
  }

  private static Optional<String> conflict(List<PinnedSnapshot> snapshots) {
    Map<String, String> datasets = new HashMap<>();
    for (PinnedSnapshot snapshot : snapshots) {
      for (String name : names(snapshot).toList()) {
        String other = datasets.putIfAbsent(name, snapshot.dataset());
        if (other != null && !other.equals(snapshot.dataset())) {
          return Optional.of(
              "Datasets '%s' and '%s' both have the table name '%s'; name one of them, or load one under another name"
                  .formatted(other, snapshot.dataset(), name));
        }
      }
    }
    return Optional.empty();
  }

  /** Engines ignore the case of a name. */
  private static Stream<String> names(PinnedSnapshot snapshot) {
    return Stream.of(Optional.ofNullable(snapshot.displayName()), Optional.of(snapshot.dataset()))
        .flatMap(Optional::stream)
        .map(name -> DatasetName.toTableName(name).toLowerCase(Locale.ROOT));
  }
}
