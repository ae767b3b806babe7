package dev.assay.jvm.builtin;

import dev.assay.jvm.job.JobFailure;
import org.jspecify.annotations.Nullable;

/**
 * Which table a built-in query reads. Both are null for the only dataset of the run.
 *
 * @param dataset any name of a dataset
 * @param file a file of the working directory
 */
public record TableName(@Nullable String dataset, @Nullable String file) {
  /** Reads its arguments. */
  public static TableName of(Arguments arguments) throws JobFailure {
    TableName name =
        new TableName(arguments.optionalText("dataset"), arguments.optionalText("file"));
    if (name.dataset != null && name.file != null) {
      throw Arguments.invalid("Arguments 'dataset' and 'file' exclude each other: pass one");
    }
    return name;
  }
}
