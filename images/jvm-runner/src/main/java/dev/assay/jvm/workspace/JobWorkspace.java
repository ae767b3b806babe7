package dev.assay.jvm.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.job.JobFiles.InputFile;
import dev.assay.jvm.job.JobFiles.TextFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.sql.Statement;

/** Puts the files of a job into its working directory, and makes views of frames. */
public final class JobWorkspace {
  private static final String PARQUET = "parquet";

  /** Where code finds a folder for files that are to be kept. */
  private static final String ARTIFACTS = "artifacts";

  private final Session session;

  public JobWorkspace(Session session) {
    this.session = session;
  }

  /** Writes texts, links inputs, and creates a view of each frame. */
  public void prepare(JobFiles files) throws JobFailure, IOException {
    for (TextFile file : files.texts()) {
      write(file);
    }
    for (InputFile input : files.inputs()) {
      String path = input.path();
      if (path != null) {
        link(path, artifact(input));
      } else if (input.frame() != null && PARQUET.equals(input.kind())) {
        createView(input.frame(), artifact(input));
      }
    }
    Path artifacts = session.workspace().resolve(ARTIFACTS);
    // The job may have brought a file of this name.
    if (files.keeps(ARTIFACTS) && !Files.exists(artifacts, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(artifacts);
    }
  }

  private Path artifact(InputFile input) {
    return session.surroundings().inputs().resolve(String.valueOf(input.number()));
  }

  private void write(TextFile file) throws JobFailure, IOException {
    try {
      Files.write(target(file.path()), file.text().getBytes(UTF_8), StandardOpenOption.CREATE_NEW);
    } catch (FileAlreadyExistsException e) {
      throw exists(file.path());
    }
  }

  private void link(String path, Path artifact) throws JobFailure, IOException {
    try {
      Files.createSymbolicLink(target(path), artifact.toAbsolutePath());
    } catch (FileAlreadyExistsException e) {
      throw exists(path);
    }
  }

  /** The operator refuses paths that lead elsewhere. */
  private Path target(String path) throws JobFailure, IOException {
    Path workspace = session.workspace();
    Path target = workspace.resolve(path).normalize();
    if (!target.startsWith(workspace) || target.equals(workspace)) {
      throw new JobFailure(
          ErrorCode.INVALID_INPUT,
          "InvalidPath",
          "The path '" + path + "' is not within the working directory: use a relative path");
    }
    Path folder = target.getParent();
    try {
      Files.createDirectories(folder == null ? workspace : folder);
    } catch (FileAlreadyExistsException e) {
      throw exists(path);
    }
    return target;
  }

  private static JobFailure exists(String path) {
    return new JobFailure(
        ErrorCode.INVALID_INPUT,
        "FileExists",
        "The path '" + path + "' is taken in the working directory: choose another");
  }

  private void createView(String name, Path artifact) throws JobFailure {
    try (Statement statement = session.connection().createStatement()) {
      statement.execute(
          "CREATE VIEW %s AS FROM read_parquet(%s)"
              .formatted(
                  Session.quoted(name), Session.literal(artifact.toAbsolutePath().toString())));
    } catch (SQLException e) {
      throw new JobFailure(
          ErrorCode.SCHEMA_ERROR,
          "FrameRefused",
          "The kept frame '"
              + name
              + "' cannot be a table: its name is taken by a dataset, or it is no Parquet file");
    }
  }
}
