package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.run.StoredTables;
import java.util.Optional;

/** The tables of queries and samples, for further rows of them. */
public final class ResultTables implements StoredTables {
  private final RunValues values;

  public ResultTables(RunValues values) {
    this.values = values;
  }

  @Override
  public Optional<Table> of(AnalyticsRun run, CallMemory memory) throws InterruptedException {
    if (!(values.of(run, memory) instanceof RunValues.Found found)) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(AnalyticsValue.read(found.json()).table())
          .map(table -> new Table(table.names(), table.rows(), table.totalRows()));
    } catch (InvalidValueException e) {
      return Optional.empty();
    }
  }
}
