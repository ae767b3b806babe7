package dev.assay.jvm.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.Job.Chart;
import dev.assay.jvm.job.Job.Reply;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.sql.SqlQuery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChartsTest {
  private static final JobFiles KEPT =
      new JobFiles(List.of(), List.of(), Set.of("results", "charts"), 100);

  @TempDir Path root;

  /** Runs a query with a program in the place of Python. */
  private Map<String, Object> run(String query, String program) throws Exception {
    Path script = Files.writeString(root.resolve("draw"), "#!/bin/sh\n" + program + "\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    TestEngine engine = new TestEngine(root).drawingWith(script);
    Job job =
        new Job("sql", query, "", "", null, List.of(), new Reply(10, new Chart("bar"), null), KEPT);
    return Json.object(new SqlQuery(engine.open()).run(job));
  }

  @Test
  void theValueSaysWhatIsDrawn() throws Exception {
    Map<String, Object> value =
        run(
            "SELECT 1 AS a",
            """
            read request
            echo "$request" > request.json
            echo '{"type":"bar","x":"a","y":"b","points":3,"other":{"a":[1]}}'\
            """);

    assertThat(value.get("chart"))
        .isEqualTo(Map.of("type", "bar", "x", "a", "y", "b", "points", 3L));
    Map<String, Object> request =
        Json.object(Files.readString(root.resolve("workspace/request.json")));
    assertThat(request)
        .containsEntry("type", "bar")
        .containsEntry("table", root.resolve("workspace/results/result.parquet").toString())
        .containsEntry("output", root.resolve("workspace/charts").toString());
  }

  @Test
  void aReasonIsPassedOn() throws Exception {
    Map<String, Object> value =
        run("SELECT 'a' AS a", "read request; echo '{\"error\":\"No numeric column\"}'");

    assertThat(value).containsEntry("chartError", "No numeric column").doesNotContainKey("chart");
  }

  @Test
  void aProgramThatEndsOrIsMissingLeavesTheRows() throws Exception {
    Map<String, Object> ended = run("SELECT 1 AS a", "exit 3");
    TestEngine engine = new TestEngine(root).drawingWith(root.resolve("missing"));
    Job job =
        new Job(
            "sql", "SELECT 1", "", "", null, List.of(), new Reply(10, new Chart(null), null), KEPT);
    Map<String, Object> missing = Json.object(new SqlQuery(engine.open()).run(job));

    assertThat(ended).containsKey("table").containsKey("chartError");
    assertThat(String.valueOf(missing.get("chartError"))).contains("could not be started");
  }

  @Test
  void aResultWithoutRowsHasNoChart() throws Exception {
    Map<String, Object> value = run("SELECT 1 AS a WHERE false", "cat");

    assertThat(String.valueOf(value.get("chartError"))).contains("has no rows");
  }
}
