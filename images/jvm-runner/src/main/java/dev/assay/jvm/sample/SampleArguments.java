package dev.assay.jvm.sample;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.builtin.TableName;
import dev.assay.jvm.job.JobFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a sample.
 *
 * @param table which rows are of
 * @param size how many rows are wanted
 * @param columns null for all
 * @param stratifyColumn only for the strategy {@code stratified}
 * @param seed null for other rows each time
 */
record SampleArguments(
    TableName table,
    Strategy strategy,
    int size,
    @Nullable List<String> columns,
    @Nullable String stratifyColumn,
    @Nullable Long seed) {
  private static final List<String> NAMES =
      List.of("dataset", "file", "strategy", "size", "columns", "stratifyColumn", "seed");

  static SampleArguments parse(@Nullable String json) throws JobFailure {
    Arguments arguments = Arguments.parse(json, NAMES);
    SampleArguments parsed =
        new SampleArguments(
            TableName.of(arguments),
            arguments.choice("strategy", Strategy.RANDOM, Strategy.values()),
            arguments.integer("size", 20, 1, 100),
            arguments.optionalTexts("columns"),
            arguments.optionalText("stratifyColumn"),
            arguments.optionalLong("seed"));
    parsed.validate();
    return parsed;
  }

  private void validate() throws JobFailure {
    if (columns != null && columns.isEmpty()) {
      throw Arguments.invalid("Argument 'columns' is empty: name columns, or leave it out for all");
    }
    boolean isStratified = strategy == Strategy.STRATIFIED;
    if (isStratified && stratifyColumn == null) {
      throw Arguments.invalid(
          "Argument 'stratifyColumn' is missing: the strategy 'stratified' needs it");
    }
    if (!isStratified && stratifyColumn != null) {
      throw Arguments.invalid(
          "Argument 'stratifyColumn' is only for the strategy 'stratified': leave it out");
    }
    if (seed != null && !strategy.isRandom()) {
      throw Arguments.invalid(
          "Argument 'seed' is only for the strategies 'random' and 'stratified': leave it out");
    }
  }

  /** Whether the same arguments return the same rows. */
  boolean isRepeatable() {
    return !strategy.isRandom() || seed != null;
  }
}
