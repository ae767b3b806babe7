package dev.assay.jvm.profile;

import dev.assay.jvm.builtin.BuiltinTable;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobHandler;
import dev.assay.jvm.table.Column;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The built-in query {@code profile}. */
public final class ProfileQuery implements JobHandler {
  private final Session session;

  public ProfileQuery(Session session) {
    this.session = session;
  }

  @Override
  public String run(Job job) throws JobFailure, SQLException {
    ProfileArguments arguments = ProfileArguments.parse(job.input());
    return run(BuiltinTable.find(session, arguments.table()), arguments);
  }

  static String run(BuiltinTable from, ProfileArguments arguments) throws SQLException {
    long began = System.nanoTime();
    SourceTable table = table(from);
    TableProfile profile = new Profiling(from.connection(), table, arguments).run(from.fileBytes());
    long engineMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    return ProfileJson.of(profile, warnings(table), engineMs);
  }

  private static List<String> warnings(SourceTable table) {
    return table.isWide()
        ? List.of(
            "Profiles with more than %,d columns omit values, and estimate distinct counts"
                .formatted(SourceTable.MAX_COLUMNS_WITH_VALUES))
        : List.of();
  }

  private static SourceTable table(BuiltinTable from) throws SQLException {
    List<SourceColumn> columns = new ArrayList<>();
    for (Column column : from.columns()) {
      boolean isMixed = from.mixed().contains(column.name());
      columns.add(new SourceColumn(columns.size(), column.name(), column.type(), isMixed));
    }
    return new SourceTable(from.relation(), columns, from.rows());
  }
}
