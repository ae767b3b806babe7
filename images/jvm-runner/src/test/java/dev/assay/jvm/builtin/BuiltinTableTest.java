package dev.assay.jvm.builtin;

import static dev.assay.jvm.job.ErrorCode.INVALID_INPUT;
import static dev.assay.jvm.job.ErrorCode.SCHEMA_ERROR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.JobFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuiltinTableTest {
  private static final TableName ONLY = new TableName(null, null);

  @TempDir Path root;

  private static TableName dataset(String name) {
    return new TableName(name, null);
  }

  @Test
  void aFileOfTheWorkingDirectoryIsATable() throws Exception {
    Session session = new TestEngine(root).open();
    Files.writeString(root.resolve("workspace/codes.csv"), "code,name\n1,one\n2,two\n");

    BuiltinTable table = BuiltinTable.find(session, new TableName(null, "codes.csv"));

    assertThat(table.rows()).isEqualTo(2);
    assertThat(table.fileBytes()).isEqualTo(22);
  }

  @Test
  void aFileThatIsNoTableIsNamed() throws Exception {
    Session session = new TestEngine(root).open();
    Files.writeString(root.resolve("workspace/notes"), "text");

    for (String file : List.of("notes", "missing.csv", "../inputs")) {
      assertThatThrownBy(() -> BuiltinTable.find(session, new TableName(null, file)))
          .isInstanceOf(JobFailure.class)
          .hasMessageContaining("File '" + file + "' is not a table");
    }
  }

  @Test
  void eachDatasetHasItsOwnTableWhereBothHaveTheSameTableName() throws Exception {
    Session session =
        new TestEngine(root)
            .with("sales-one", "sales 2024", "SELECT 1 AS a")
            .with("sales-two", "sales.2024", "FROM range(2)")
            .with("sales-three", "Sales_2024", "FROM range(3)")
            .open();
    assertThat(BuiltinTable.find(session, dataset("sales-one")).rows()).isEqualTo(1);
    assertThat(BuiltinTable.find(session, dataset("sales-two")).rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, dataset("sales.2024")).rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, dataset("sales-three")).rows()).isEqualTo(3);
  }

  @Test
  void theOnlyDatasetOfARunNeedsNoName() throws Exception {
    Session session = new TestEngine(root).with("sales", "Sales", "FROM range(2)").open();
    assertThat(BuiltinTable.find(session, ONLY).rows()).isEqualTo(2);
  }

  @Test
  void aDatasetWithoutATableIsToBeLoadedAgain() throws Exception {
    Session session = new TestEngine(root).withoutTable("old").open();
    assertThatThrownBy(() -> BuiltinTable.find(session, dataset("old")))
        .isInstanceOfSatisfying(
            JobFailure.class,
            failure -> {
              assertThat(failure.code()).isEqualTo(SCHEMA_ERROR);
              assertThat(failure.type()).isEqualTo("NoTable");
              assertThat(failure.suggestions()).containsExactly("Load the dataset again");
            });
  }

  @Test
  void aDatasetOfAnEmptySourceHasNoColumnsToRead() throws Exception {
    Session session = new TestEngine(root).withoutColumns("empty").open();
    assertThatThrownBy(() -> BuiltinTable.find(session, dataset("empty")))
        .hasMessageContaining("has no columns");
  }

  @Test
  void oneOfSeveralDatasetsHasToBeNamed() throws Exception {
    Session session =
        new TestEngine(root)
            .with("sales", "Sales", "FROM range(2)")
            .with("flights", "flights", "FROM range(3)")
            .open();
    assertThatThrownBy(() -> BuiltinTable.find(session, ONLY))
        .isInstanceOfSatisfying(
            JobFailure.class, failure -> assertThat(failure.code()).isEqualTo(INVALID_INPUT))
        .hasMessage(
            "Argument 'dataset' is missing: name one of the datasets of this run, which are:"
                + " Sales, flights");
    Session without = new TestEngine(root.resolve("without")).open();
    assertThatThrownBy(() -> BuiltinTable.find(without, ONLY))
        .hasMessage("This run has no datasets: name one in its spec");
  }

  @Test
  void aResourceNameIsThatOfItsDatasetEvenIfAnotherIsDisplayedSo() throws Exception {
    Session session =
        new TestEngine(root)
            .with("old-sales", "sales", "SELECT 1 AS a")
            .with("sales", "new sales", "FROM range(2)")
            .open();
    assertThat(BuiltinTable.find(session, dataset("sales")).rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, dataset("new_sales")).rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, dataset("old-sales")).rows()).isEqualTo(1);
  }
}
