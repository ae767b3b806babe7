package dev.assay.frontend.analytics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What executes a query. */
public enum Engine {
  AUTO,
  DUCKDB,
  POLARS,
  PANDAS;

  /** The name in calls and replies. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All, for a parameter. */
  public static List<Engine> all() {
    return Arrays.asList(values());
  }

  static String names(List<Engine> engines) {
    return engines.stream().map(Engine::wireName).collect(Collectors.joining(" or "));
  }
}
