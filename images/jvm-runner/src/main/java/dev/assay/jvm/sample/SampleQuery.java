package dev.assay.jvm.sample;

import dev.assay.jvm.builtin.BuiltinTable;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobHandler;
import dev.assay.jvm.result.ResultFiles;
import dev.assay.jvm.table.TableValue;
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
    long began = System.nanoTime();
    SampledTable table = new SampledTable(from);
    Set<Integer> columns = columns(table, arguments.columns());
    long total = from.rows();
    List<String> warnings = new ArrayList<>();
    int size = (int) Math.min(arguments.size(), total);
    Draw draw = draw(table, arguments, size, total);
    table.copy(RESULT, columns, draw.positions());
    TableValue rows = Sample.read(from.connection(), RESULT, draw.size());
    while (rows.isTruncated() && draw.size() > 1) {
      // The first rows of the table are no sample: fewer are drawn.
      int room = rows.rows().isEmpty() ? draw.size() / 2 : rows.rows().size();
      draw = smaller(draw, arguments.strategy(), room, total);
      table.copy(RESULT, columns, draw.positions());
      rows = Sample.read(from.connection(), RESULT, draw.size());
    }
    if (draw.size() < size) {
      warnings.add(
          "The sample has %d rows instead of %d, as long values fill the reply: select fewer columns"
              .formatted(draw.size(), size));
    }
    if (rows.isTruncated()) {
      warnings.add("The sampled row does not fit: select fewer columns");
    }
    if (draw.size() < draw.strata()) {
      warnings.add(
          "Column '%s' has %d values: the sample has a row of only %d of them, the most frequent"
              .formatted(arguments.stratifyColumn(), draw.strata(), draw.size()));
    }
    long engineMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    return new Sample(arguments, total, draw, warnings, engineMs)
        .json(from.connection(), RESULT, files.write(job.files(), RESULT, rows));
  }

  private static Set<Integer> columns(SampledTable table, @Nullable List<String> wanted)
      throws JobFailure {
    return wanted == null
        ? new LinkedHashSet<>(IntStream.range(0, table.names().size()).boxed().toList())
        : table.positions(wanted);
  }

  private static Draw draw(SampledTable table, SampleArguments arguments, int size, long total)
      throws JobFailure, SQLException {
    long seed = arguments.seed() == null ? new SecureRandom().nextLong() : arguments.seed();
    return switch (arguments.strategy()) {
      case HEAD -> Draw.of(Positions.head(size, total));
      case SYSTEMATIC -> Draw.of(Positions.systematic(size, total));
      case RANDOM -> Draw.of(Positions.random(size, total, seed));
      case STRATIFIED -> stratified(table, arguments, size, seed);
    };
  }

  /** The same sample with fewer rows. */
  private static Draw smaller(Draw draw, Strategy strategy, int size, long total) {
    return strategy == Strategy.SYSTEMATIC
        ? Draw.of(Positions.systematic(size, total))
        : draw.first(size);
  }

  private static Draw stratified(SampledTable table, SampleArguments arguments, int size, long seed)
      throws JobFailure, SQLException {
    String column = String.valueOf(arguments.stratifyColumn());
    int position = table.position(column);
    if (size == 0) {
      return Draw.of(List.of());
    }
    return table.strata(position, seed).choose(size);
  }
}
