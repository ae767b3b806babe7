package dev.assay.jvm.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuiltinTableTest {
  @TempDir Path root;

  @Test
  void eachDatasetHasItsOwnTableWhereBothHaveTheSameTableName() throws Exception {
    Session session =
        new TestEngine(root)
            .with("sales-one", "sales 2024", "SELECT 1 AS a")
            .with("sales-two", "sales.2024", "FROM range(2)")
            .with("sales-three", "Sales_2024", "FROM range(3)")
            .open();
    assertThat(BuiltinTable.find(session, "sales-one").rows()).isEqualTo(1);
    assertThat(BuiltinTable.find(session, "sales-two").rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, "sales.2024").rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, "sales-three").rows()).isEqualTo(3);
  }

  @Test
  void aResourceNameIsThatOfItsDatasetEvenIfAnotherIsDisplayedSo() throws Exception {
    Session session =
        new TestEngine(root)
            .with("old-sales", "sales", "SELECT 1 AS a")
            .with("sales", "new sales", "FROM range(2)")
            .open();
    assertThat(BuiltinTable.find(session, "sales").rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, "new_sales").rows()).isEqualTo(2);
    assertThat(BuiltinTable.find(session, "old-sales").rows()).isEqualTo(1);
  }
}
