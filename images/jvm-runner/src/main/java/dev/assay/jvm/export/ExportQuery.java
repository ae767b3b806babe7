package dev.assay.jvm.export;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.job.JobFiles.InputFile;
import dev.assay.jvm.job.JobHandler;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The built-in query {@code export}: writes the stored result of another run, its only input, in a
 * format of choice.
 */
public final class ExportQuery implements JobHandler {
  private static final JsonFactory JSON = new JsonFactory();

  private final Session session;

  public ExportQuery(Session session) {
    this.session = session;
  }

  @Override
  public String run(Job job) throws JobFailure, SQLException, IOException {
    long began = System.nanoTime();
    ExportArguments arguments = ExportArguments.parse(job.input());
    StoredResult result = StoredResult.open(session.connection(), input(job.files()));
    Path target = target(arguments.path());
    List<Path> written = write(result, arguments, target, job.files().maxCollected());
    Optional<String> warning =
        arguments.format() == ExportFormat.CSV ? Formulas.warning(result) : Optional.empty();
    return value(written, result.rows(), warning, began);
  }

  private Path input(JobFiles files) throws JobFailure {
    List<String> paths =
        files.inputs().stream().map(InputFile::path).filter(Objects::nonNull).toList();
    if (paths.size() != 1) {
      throw Arguments.invalid(
          "An export needs the result of one run as its only input; this run has " + paths.size());
    }
    return session.workspace().resolve(paths.getFirst());
  }

  private Path target(Path path) throws JobFailure, IOException {
    Path target = session.workspace().resolve(path);
    Path folder = target.getParent();
    try {
      Files.createDirectories(folder == null ? session.workspace() : folder);
    } catch (FileAlreadyExistsException e) {
      throw taken(path);
    }
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw taken(path);
    }
    return target;
  }

  private static JobFailure taken(Path path) {
    return Arguments.invalid(
        "Argument 'path' is %s, which is taken: choose another"
            .formatted(Arguments.shown(path.toString())));
  }

  private static List<Path> write(
      StoredResult result, ExportArguments arguments, Path target, int maxFiles)
      throws JobFailure, SQLException, IOException {
    if (arguments.format() == ExportFormat.XLSX) {
      Spreadsheet.write(result, target);
      return List.of(target);
    }
    FileCopy copy = new FileCopy(result, arguments);
    String partitionBy = arguments.partitionBy();
    if (partitionBy == null) {
      copy.toFile(target);
      return List.of(target);
    }
    copy.toFolders(target, partitionBy, maxFiles);
    try (Stream<Path> files = Files.walk(target)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private String value(List<Path> written, long rows, Optional<String> warning, long began)
      throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeObjectPropertyStart("export");
      json.writeArrayPropertyStart("files");
      for (Path file : written) {
        json.writeStartObject();
        json.writeStringProperty("path", session.workspace().relativize(file).toString());
        json.writeNumberProperty("bytes", Files.size(file));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberProperty("rows", rows);
      json.writeEndObject();
      if (warning.isPresent()) {
        json.writeArrayPropertyStart("warnings");
        json.writeString(warning.get());
        json.writeEndArray();
      }
      json.writeStringProperty("engine", "duckdb");
      json.writeNumberProperty(
          "engineMs", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
      json.writeBooleanProperty("cacheable", false);
      json.writeEndObject();
    }
    return text.toString();
  }
}
