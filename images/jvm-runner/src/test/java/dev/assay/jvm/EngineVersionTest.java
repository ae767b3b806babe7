package dev.assay.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class EngineVersionTest {
  @Test
  void theEngineHasTheVersionOfThePythonPackage() throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT library_version FROM pragma_version()")) {
      assertThat(row.next()).isTrue();
      String version = row.getString(1).substring(1);
      assertThat(Files.readString(Path.of("../runner/requirements.txt")))
          .contains("duckdb==" + version + " ");
    }
  }
}
