package dev.assay.jvm.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.engine.DatasetTable;
import dev.assay.jvm.engine.EngineError;
import dev.assay.jvm.engine.EngineFailures;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Explains errors of the engine by the user's own code and datasets. */
final class QueryErrors {
  private static final int MAX_LISTED = 20;

  private static final int MAX_DEPTH = 3;
  private static final int MAX_LOOKED_AT = 1_000;

  private static final Pattern MISSING_FILE =
      Pattern.compile("No files found that match the pattern \"([^\"]+)\"");

  private static final Pattern NO_STRUCT =
      Pattern.compile(
          "Cannot extract field ['\"](.+?)['\"] from expression ['\"](.+?)['\"] because");

  private static final Pattern NO_TABLE = Pattern.compile("Referenced table \"(.+?)\" not found");

  private final String code;
  private final Session session;
  private final List<DatasetTable> datasets;

  QueryErrors(String code, Session session) {
    this.code = code;
    this.session = session;
    this.datasets = session.datasets();
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
      return missing("Function", error.name(), error.candidates(), null, place);
    }
    JobFailure failure = EngineFailures.of(error, place);
    if (error.isSyntax()) {
      return with(failure, quotedKeywords());
    }
    Matcher field = NO_STRUCT.matcher(error.message());
    if (field.find()) {
      return with(
          failure,
          List.of(
              "If %s is JSON as text, write %s->>%s"
                  .formatted(field.group(2), field.group(2), jsonPath(field.group(1)))));
    }
    Matcher table = NO_TABLE.matcher(error.message());
    if (table.find()) {
      return with(failure, fields(table.group(1)));
    }
    return missingFile(error.message()).map(path -> with(failure, nearFiles(path))).orElse(failure);
  }

  /** Suggestions where the engine took a column, as in features.properties.name, for a table. */
  private List<String> fields(String dotted) {
    List<String> parts = List.of(dotted.split("\\."));
    return columns().stream()
        .filter(column -> parts.stream().anyMatch(column::equalsIgnoreCase))
        .limit(MAX_LISTED)
        .map(
            column ->
                "'%s' is a column, not a table: write %s.FIELD, or %s->>'$.FIELD' if it is JSON as text"
                    .formatted(column, Session.quoted(column), Session.quoted(column)))
        .toList();
  }

  private Set<String> columns() {
    return datasets.stream()
        .flatMap(dataset -> Stream.ofNullable(dataset.table()))
        .flatMap(table -> table.columns().stream())
        .map(DatasetTable.TableColumn::name)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static JobFailure with(JobFailure failure, List<String> suggestions) {
    return new JobFailure(
        failure.code(), failure.type(), failure.message(), failure.place(), suggestions);
  }

  private static String jsonPath(String field) {
    return Session.literal(field.matches("\\w+") ? "$." + field : "$.\"" + field + "\"");
  }

  /** How to write the columns that the code names by a keyword. */
  private List<String> quotedKeywords() {
    Set<String> columns =
        columns().stream()
            .map(column -> column.toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    Set<String> suggestions = new LinkedHashSet<>();
    try {
      List<String> named =
          Lexer.tokens(code).stream()
              .filter(token -> token.kind() == Token.Kind.WORD)
              .map(Token::text)
              .filter(word -> columns.contains(word.toLowerCase(Locale.ROOT)))
              .distinct()
              .limit(MAX_LISTED)
              .toList();
      for (String word : named) {
        if (Keywords.include(session.connection(), word)) {
          suggestions.add(
              "If %s is meant as the column, write \"%s\": %s is a keyword of SQL"
                  .formatted(word, word, word));
        }
      }
    } catch (SQLException e) {
      return List.of(); // The error itself says where it is.
    }
    return List.copyOf(suggestions);
  }

  private static Optional<String> missingFile(String message) {
    Matcher matcher = MISSING_FILE.matcher(message);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** Names the file that was probably meant, or the files and tables that are there. */
  private List<String> nearFiles(String path) {
    List<String> files = workspaceFiles();
    List<String> suggestions = new ArrayList<>();
    NearNames.nearest(path, files)
        .or(() -> NearNames.nearest(fileName(path), files))
        .ifPresent(near -> suggestions.add("Use '" + near + "'"));
    suggestions.addAll(listed("Available files: ", files));
    suggestions.addAll(listed("Available tables: ", tables()));
    if (suggestions.isEmpty()) {
      suggestions.add("The query was given no files: name the datasets that it reads in 'files'");
    }
    return suggestions;
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private List<String> workspaceFiles() {
    try (Stream<Path> files = Files.walk(session.workspace(), MAX_DEPTH)) {
      return files
          .filter(Files::isRegularFile)
          .limit(MAX_LOOKED_AT)
          .map(file -> session.workspace().relativize(file).toString())
          .sorted()
          .toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  private List<String> tables() {
    return datasets.stream().map(dataset -> dataset.dataset().tableName()).toList();
  }

  private JobFailure missingColumn(EngineError error, @Nullable Place place) {
    String quoted = Session.quoted(error.name());
    boolean isQuoted =
        Lexer.tokens(code).stream()
            .anyMatch(token -> token.kind() == Token.Kind.NAME && token.text().equals(quoted));
    List<String> names = new ArrayList<>();
    for (String candidate : error.candidates()) {
      String name = candidate.replace("\"", "");
      names.add(name.substring(name.lastIndexOf('.') + 1));
    }
    JobFailure failure = missing("Column", error.name(), names, "Similar columns: ", place);
    if (!isQuoted) {
      return failure;
    }
    List<String> suggestions = new ArrayList<>(failure.suggestions());
    suggestions.add(
        "If it is text, write it in single quotes, %s: double quotes are for names"
            .formatted(Session.literal(error.name())));
    return with(failure, suggestions);
  }

  private JobFailure missingTable(EngineError error, @Nullable Place place) {
    for (DatasetTable dataset : datasets) {
      if (!dataset.hasColumns() && isNamed(dataset, error.name())) {
        return dataset.noTable(place);
      }
    }
    return missing("Table", error.name(), tables(), "Available tables: ", place)
        .withMissingName(error.name());
  }

  private static boolean isNamed(DatasetTable dataset, String name) {
    return Stream.of(
            dataset.dataset().tableName(),
            dataset.dataset().displayName(),
            dataset.dataset().name())
        .anyMatch(name::equalsIgnoreCase);
  }

  private static JobFailure missing(
      String what, String name, List<String> known, @Nullable String label, @Nullable Place place) {
    Optional<String> near = NearNames.nearest(name, known);
    List<String> suggestions = new ArrayList<>();
    near.ifPresent(found -> suggestions.add("Use '" + found + "'"));
    if (label != null) {
      List<String> others = known.stream().filter(one -> !near.equals(Optional.of(one))).toList();
      suggestions.addAll(listed(label, others));
    }
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
        : List.of(
            label
                + String.join(", ", distinct.stream().limit(MAX_LISTED).toList())
                + (distinct.size() > MAX_LISTED ? ", …" : ""));
  }

  private @Nullable Place place(int bytePosition, String sql, int prefix, int start) {
    if (bytePosition < 0) {
      // Of several statements, the one that failed is shown.
      return start == 0 ? null : Place.of(code, start);
    }
    byte[] bytes = sql.getBytes(UTF_8);
    int character =
        new String(bytes, 0, Math.min(bytePosition, bytes.length), UTF_8).length() - prefix;
    int at = Math.clamp(start + (long) character, start, code.length());
    return Place.of(code, at);
  }
}
