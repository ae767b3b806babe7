package dev.assay.jvm.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.job.JobFiles.InputFile;
import dev.assay.jvm.job.JobFiles.TextFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobWorkspaceTest {
  @TempDir Path root;
  private Session session;

  @BeforeEach
  void open() throws Exception {
    session =
        new TestEngine(root)
            .with("sales", "sales", "SELECT 1 AS a")
            .withInput(1, "SELECT 7 AS n")
            .open();
  }

  private void prepare(List<TextFile> texts, InputFile... inputs) throws Exception {
    new JobWorkspace(session).prepare(new JobFiles(texts, List.of(inputs), Set.of(), 0));
  }

  private long number(String query) throws Exception {
    try (Statement statement = session.connection().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void aTextIsAFileThatSqlReads() throws Exception {
    prepare(List.of(new TextFile("lookup/codes.csv", "code,name\n1,one\n")));

    assertThat(number("SELECT code FROM '" + root + "/workspace/lookup/codes.csv'")).isEqualTo(1);
  }

  @Test
  void anInputIsALinkThatSqlReads() throws Exception {
    prepare(List.of(), new InputFile(1, "exports/x.parquet", null, null));

    assertThat(number("SELECT n FROM '" + root + "/workspace/exports/x.parquet'")).isEqualTo(7);
  }

  @Test
  void aKeptFrameIsATable() throws Exception {
    prepare(List.of(), new InputFile(1, null, "Top ten", "parquet"));

    assertThat(number("SELECT n FROM \"Top ten\"")).isEqualTo(7);
  }

  @Test
  void aFrameWithTheNameOfADatasetIsRefused() {
    JobFailure failure =
        catchThrowableOfType(
            JobFailure.class, () -> prepare(List.of(), new InputFile(1, null, "sales", "parquet")));

    assertThat(failure.message()).contains("'sales'").contains("taken by a dataset");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "/etc/x", "a/../../x", "", "."})
  void aPathOutsideOfTheWorkingDirectoryIsRefused(String path) {
    JobFailure failure =
        catchThrowableOfType(JobFailure.class, () -> prepare(List.of(new TextFile(path, "text"))));

    assertThat(failure.type()).isEqualTo("InvalidPath");
  }

  @Test
  void aPathThatIsTakenIsRefused() throws Exception {
    Files.writeString(root.resolve("workspace/sales.csv"), "a\n1\n");

    for (String path : List.of("sales.csv", "sales.csv/below")) {
      JobFailure failure =
          catchThrowableOfType(
              JobFailure.class, () -> prepare(List.of(new TextFile(path, "text"))));
      assertThat(failure.type()).isEqualTo("FileExists");
    }
  }
}
