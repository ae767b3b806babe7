package dev.assay.jvm.sample;

import dev.assay.jvm.builtin.BuiltinTable;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobHandler;
import dev.assay.jvm.result.ResultFiles;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The built-in query {@code sample}. */
public final class SampleQuery implements JobHandler {
  private static final String RESULT = "temp.main.\"assay sample\"";

  private final Session session;

  public SampleQuery(Session session) {
    this.session = session;
  }

  @Override
  public String run(Job job) throws JobFailure, SQLException {
    SampleArguments arguments = SampleArguments.parse(job.input());
    BuiltinTable from = BuiltinTable.find(session, arguments.table());
    ResultFiles files = new ResultFiles(session);
    return sample(from, arguments)
        .json(from.connection(), RESULT, table -> files.write(job.files(), RESULT, table));
  }

  private static Sample sample(BuiltinTable from, SampleArguments arguments)
      throws JobFailure, SQLException {
    long began = System.nanoTime();
    SampledTable table = new SampledTable(from);
    Set<Integer> columns = columns(table, arguments.columns());
    long total = from.rows();
    List<String> warnings = new ArrayList<>();
    List<Long> rows = rows(table, arguments, total, warnings);
    table.copy(RESULT, columns, rows);
    long engineMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    return new Sample(arguments, total, rows.size(), warnings, engineMs);
  }

  private static Set<Integer> columns(SampledTable table, @Nullable List<String> wanted)
      throws JobFailure {
    return wanted == null
        ? new LinkedHashSet<>(IntStream.range(0, table.names().size()).boxed().toList())
        : table.positions(wanted);
  }

  private static List<Long> rows(
      SampledTable table, SampleArguments arguments, long total, List<String> warnings)
      throws JobFailure, SQLException {
    int size = (int) Math.min(arguments.size(), total);
    long seed = arguments.seed() == null ? new SecureRandom().nextLong() : arguments.seed();
    return switch (arguments.strategy()) {
      case HEAD -> Positions.head(size, total);
      case SYSTEMATIC -> Positions.systematic(size, total);
      case RANDOM -> Positions.random(size, total, seed);
      case STRATIFIED -> stratified(table, arguments, size, seed, warnings);
    };
  }

  private static List<Long> stratified(
      SampledTable table, SampleArguments arguments, int size, long seed, List<String> warnings)
      throws JobFailure, SQLException {
    String column = String.valueOf(arguments.stratifyColumn());
    int position = table.position(column);
    if (size == 0) {
      return List.of();
    }
    Strata.Choice choice = table.strata(position, seed).choose(size);
    if (choice.isIncomplete()) {
      warnings.add(
          "Column '%s' has more than %d values: the sample has one row of each of the most frequent"
              .formatted(column, size));
    }
    return choice.positions();
  }
}
