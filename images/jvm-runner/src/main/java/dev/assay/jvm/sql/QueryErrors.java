package dev.assay.jvm.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.engine.DatasetTable;
import dev.assay.jvm.engine.EngineError;
import dev.assay.jvm.engine.EngineFailures;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Explains errors of the engine by the user's own code and datasets. */
final class QueryErrors {
  private static final int MAX_LISTED = 20;
  private static final int CONTEXT_CHARACTERS = 60;

  private final String code;
  private final List<DatasetTable> datasets;

  QueryErrors(String code, List<DatasetTable> datasets) {
    this.code = code;
    this.datasets = datasets;
  }

  /**
   * Explains an error.
   *
   * @param sql that the engine was given
   * @param prefix the number of characters in it before the statement
   * @param start where the statement begins in the code
   */
  JobFailure explain(EngineError error, String sql, int prefix, int start) {
    Place place = place(error.position(), sql, prefix, start);
    if (error.subtype().equals("COLUMN_NOT_FOUND")) {
      return missingColumn(error, place);
    }
    if (error.subtype().equals("MISSING_ENTRY") && error.kind().equals("Table")) {
      return missingTable(error, place);
    }
    if (error.subtype().equals("MISSING_ENTRY") && error.kind().endsWith("Function")) {
      return missing("Function", error.name(), error.candidates(), List.of(), place);
    }
    return EngineFailures.of(error, place);
  }

  private static JobFailure missingColumn(EngineError error, @Nullable Place place) {
    List<String> names = new ArrayList<>();
    for (String candidate : error.candidates()) {
      String name = candidate.replace("\"", "");
      names.add(name.substring(name.lastIndexOf('.') + 1));
    }
    return missing("Column", error.name(), names, listed("Columns that are near: ", names), place);
  }

  private JobFailure missingTable(EngineError error, @Nullable Place place) {
    for (DatasetTable dataset : datasets) {
      if (dataset.table() == null && isNamed(dataset, error.name())) {
        return dataset.noTable(place);
      }
    }
    List<String> tables = datasets.stream().map(dataset -> dataset.dataset().tableName()).toList();
    return missing("Table", error.name(), tables, listed("Tables: ", tables), place);
  }

  private static boolean isNamed(DatasetTable dataset, String name) {
    return Stream.of(
            dataset.dataset().tableName(),
            dataset.dataset().displayName(),
            dataset.dataset().name())
        .anyMatch(name::equalsIgnoreCase);
  }

  private static JobFailure missing(
      String what, String name, List<String> known, List<String> listed, @Nullable Place place) {
    Optional<String> near = NearNames.nearest(name, known);
    List<String> suggestions = new ArrayList<>();
    near.ifPresent(found -> suggestions.add("Use '" + found + "'"));
    suggestions.addAll(listed);
    String question = near.map(found -> ". Did you mean '" + found + "'?").orElse("");
    return new JobFailure(
        ErrorCode.QUERY_ERROR,
        what.equals("Column") ? "BinderError" : "CatalogError",
        "%s '%s' not found%s".formatted(what, name, question),
        place,
        suggestions);
  }

  private static List<String> listed(String label, List<String> names) {
    Set<String> distinct = new LinkedHashSet<>(names);
    return distinct.isEmpty()
        ? List.of()
        : List.of(label + String.join(", ", distinct.stream().limit(MAX_LISTED).toList()));
  }

  private @Nullable Place place(int bytePosition, String sql, int prefix, int start) {
    if (bytePosition < 0) {
      return null;
    }
    byte[] bytes = sql.getBytes(UTF_8);
    int character =
        new String(bytes, 0, Math.min(bytePosition, bytes.length), UTF_8).length() - prefix;
    int at = Math.clamp(start + (long) character, start, code.length());
    int lineStart = code.lastIndexOf('\n', at - 1) + 1;
    int lineEnd = code.indexOf('\n', at) < 0 ? code.length() : code.indexOf('\n', at);
    int line = 1 + (int) code.substring(0, lineStart).chars().filter(c -> c == '\n').count();
    return new Place(line, at - lineStart + 1, context(code, lineStart, at, lineEnd));
  }

  private static String context(String code, int lineStart, int at, int lineEnd) {
    int from = Math.max(lineStart, at - CONTEXT_CHARACTERS);
    int to = Math.min(lineEnd, at + CONTEXT_CHARACTERS);
    String before = (from > lineStart ? "…" : "") + code.substring(from, at);
    String after = code.substring(at, to) + (to < lineEnd ? "…" : "");
    String shown = (before + after).replaceAll("\\p{Cntrl}", " ");
    return shown + "\n" + " ".repeat(before.length()) + "^";
  }
}
