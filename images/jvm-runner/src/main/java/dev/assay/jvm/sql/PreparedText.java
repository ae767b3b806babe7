package dev.assay.jvm.sql;

import dev.assay.jvm.job.JobFailure;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A statement with its parameters by position, since the driver knows no others.
 *
 * @param sql of the same length as the statement wherever possible, so that places in it are places
 *     in the statement
 * @param values in the order of the positions
 */
record PreparedText(String sql, List<@Nullable Object> values) {

  static PreparedText of(SqlStatement statement, Parameters parameters) throws JobFailure {
    List<Token> used = statement.parameters();
    return parameters.isNamed()
        ? named(statement, used, parameters)
        : positional(statement, used, parameters);
  }

  private static PreparedText positional(
      SqlStatement statement, List<Token> used, Parameters parameters) throws JobFailure {
    int highest = 0;
    int questions = 0;
    for (Token token : used) {
      if (token.text().equals("?")) {
        highest = Math.max(highest, ++questions);
      } else if (token.text().substring(1).matches("\\d{1,4}")) {
        highest = Math.max(highest, Integer.parseInt(token.text().substring(1)));
      } else {
        throw Parameters.invalid(
            "The query uses the parameter '%s': pass parameters as an object with this name"
                .formatted(token.text()));
      }
    }
    if (highest > parameters.values().size()) {
      throw Parameters.invalid(
          "The query uses %d parameters, and %d were passed"
              .formatted(highest, parameters.values().size()));
    }
    List<@Nullable Object> values = new ArrayList<>(parameters.values().values());
    return new PreparedText(statement.text(), new ArrayList<>(values.subList(0, highest)));
  }

  private static PreparedText named(SqlStatement statement, List<Token> used, Parameters parameters)
      throws JobFailure {
    Set<String> names = new LinkedHashSet<>();
    for (Token token : used) {
      String name = token.text().substring(1);
      if (!parameters.values().containsKey(name)) {
        throw Parameters.invalid(
            "The query uses the parameter '%s', and 'parameters' has %s"
                .formatted(
                    token.text(),
                    parameters.values().isEmpty()
                        ? "none"
                        : "'" + String.join("', '", parameters.values().keySet()) + "'"));
      }
      names.add(name);
    }
    List<String> order = new ArrayList<>(names);
    StringBuilder sql = new StringBuilder();
    int copied = statement.start();
    for (Token token : used) {
      String position = "$" + (order.indexOf(token.text().substring(1)) + 1);
      sql.append(statement.text(), copied - statement.start(), token.start() - statement.start());
      sql.append(position).repeat(' ', Math.max(token.text().length() - position.length(), 0));
      copied = token.end();
    }
    sql.append(statement.text(), copied - statement.start(), statement.text().length());
    List<@Nullable Object> values = new ArrayList<>();
    order.forEach(name -> values.add(parameters.values().get(name)));
    return new PreparedText(sql.toString(), values);
  }
}
