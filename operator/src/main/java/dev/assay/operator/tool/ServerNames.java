package dev.assay.operator.tool;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which tool servers somebody may call.
 *
 * @param names those; empty for all
 */
record ServerNames(Optional<List<String>> names) {
  private static final String ANY = "*";
  static final ServerNames ALL = new ServerNames(Optional.empty());
  static final ServerNames NONE = new ServerNames(Optional.of(List.of()));

  /** Those of a list; all if it is absent. */
  static ServerNames of(@Nullable List<String> list) {
    return list == null || list.contains(ANY)
        ? ALL
        : new ServerNames(Optional.of(List.copyOf(list)));
  }

  boolean contain(String server) {
    return names.isEmpty() || names.get().contains(server);
  }
}
