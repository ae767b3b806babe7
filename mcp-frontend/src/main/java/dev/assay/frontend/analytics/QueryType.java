package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.Language;
import java.util.List;

/** What a query is written in. It alone decides what executes the query. */
public enum QueryType {
  SQL("sql", Language.SQL),
  POLARS_EXPR("polars_expr", Language.POLARS),
  PYTHON("python", Language.PYTHON);

  private final String wireName;
  private final Language language;

  QueryType(String wireName, Language language) {
    this.wireName = wireName;
    this.language = language;
  }

  /** The name in calls. */
  public String wireName() {
    return wireName;
  }

  /** The language of its run. */
  public Language language() {
    return language;
  }

  /** The engine that is meant where a reply does not say. */
  public Engine usualEngine() {
    return engines().getFirst();
  }

  /** What can execute it, the usual one first. */
  private List<Engine> engines() {
    return switch (this) {
      case SQL -> List.of(Engine.DUCKDB);
      case POLARS_EXPR -> List.of(Engine.POLARS);
      case PYTHON -> List.of(Engine.PANDAS, Engine.POLARS);
    };
  }

  /**
   * Refuses an engine that cannot execute it.
   *
   * @throws AnalyticsException where it cannot
   */
  public void require(Engine engine) {
    if (engine != Engine.AUTO && !engines().contains(engine)) {
      throw new AnalyticsException(
          AnalyticsError.of(
              ErrorCode.INVALID_INPUT,
              "engine '"
                  + engine.wireName()
                  + "' cannot run query_type '"
                  + wireName
                  + "': "
                  + Engine.names(engines())
                  + " does",
              List.of("Leave out engine: query_type selects it"),
              null));
    }
  }
}
