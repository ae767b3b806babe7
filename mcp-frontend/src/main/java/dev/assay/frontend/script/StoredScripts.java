package dev.assay.frontend.script;

import java.util.List;

/**
 * Scripts that the platform team has stored in ConfigMaps with the label {@value #LABEL}, under
 * keys that end with {@code .js} or {@code .ts}. Nothing here writes them.
 */
@FunctionalInterface
public interface StoredScripts {
  /** The label of such a ConfigMap, with any value. */
  String LABEL = "assay.dev/scripts";

  /** There are none. */
  StoredScripts NONE = (namespace, wanted) -> List.of();

  /**
   * The scripts of a namespace by their names.
   *
   * @param wanted name of the one whose code is wanted; empty for none. Where several have this
   *     name, their code is not read
   * @throws dev.assay.frontend.watch.ClusterException where they cannot be read
   */
  List<StoredScript> list(String namespace, String wanted);
}
