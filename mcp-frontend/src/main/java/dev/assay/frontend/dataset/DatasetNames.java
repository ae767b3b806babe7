package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.stream.Collectors;

/** The message about a name that no dataset has. */
public final class DatasetNames {
  private static final int MAX_SHOWN = 20;
  private static final int MAX_NAME = 80;

  private DatasetNames() {}

  /**
   * The names that there are, and the one that may be meant; empty where there are none.
   *
   * @return sentences, with a space before
   */
  public static String alternatives(String wrong, List<Dataset> datasets) {
    List<String> names = datasets.stream().map(DatasetText::nameOf).toList();
    if (names.isEmpty()) {
      return "";
    }
    int more = names.size() - MAX_SHOWN;
    return names.stream()
            .limit(MAX_SHOWN)
            .map(name -> Text.oneLine(name, MAX_NAME))
            .collect(
                Collectors.joining(
                    ", ", " There are: ", more > 0 ? " and " + more + " more." : "."))
        + NearNames.closest(wrong, names).map(name -> " Did you mean '" + name + "'?").orElse("");
  }
}
