package dev.assay.jvm.profile;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.builtin.TableName;
import dev.assay.jvm.job.JobFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a profile.
 *
 * @param table which is described
 * @param sampleSize how many rows the meaning of texts is inferred from
 * @param computeStats whether ranges, quartiles and frequent values are wanted
 * @param maxCategories how many distinct texts a category has at most
 */
record ProfileArguments(TableName table, int sampleSize, boolean computeStats, int maxCategories) {
  private static final List<String> NAMES =
      List.of("dataset", "file", "sampleSize", "computeStats", "maxCategories");

  static ProfileArguments parse(@Nullable String json) throws JobFailure {
    Arguments arguments = Arguments.parse(json, NAMES);
    return new ProfileArguments(
        TableName.of(arguments),
        arguments.integer("sampleSize", 1000, 100, 10_000),
        arguments.flag("computeStats", true),
        arguments.integer("maxCategories", 50, 1, 1000));
  }
}
