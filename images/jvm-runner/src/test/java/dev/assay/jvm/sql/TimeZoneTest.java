package dev.assay.jvm.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.JobTimeZone;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.Job.Reply;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFiles;
import java.nio.file.Path;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeZoneTest {
  /** Late on the 30th in New York. */
  private static final String ROW = "SELECT TIMESTAMPTZ '2024-07-01 03:30:00+00' AS t";

  private static final String DAY =
      "SELECT CAST(t AS DATE) AS day, date_trunc('day', t) AS start, t";

  @TempDir Path root;
  private TestEngine engine;

  @BeforeEach
  void newEngine() throws Exception {
    engine = new TestEngine(root);
  }

  private void load(String name, String type) throws Exception {
    String columns = "[{\"name\": \"t\", \"type\": \"" + type + "\"}]";
    engine.with(name, name, ROW, columns, columns);
  }

  private Map<String, Object> run(String code, @Nullable String timeZone) throws Exception {
    Job job =
        new Job(
            "sql", code, "", "", null, List.of(), new Reply(100, null, timeZone), JobFiles.NONE);
    return Json.object(new SqlQuery(engine.open(timeZone)).run(job));
  }

  @SuppressWarnings("unchecked")
  private static List<Object> row(Map<String, Object> value) {
    Map<String, Object> table = (Map<String, Object>) value.get("table");
    return ((List<List<Object>>) table.get("rows")).getFirst();
  }

  @Test
  void daysAreThoseOfTheZoneOfTheColumns() throws Exception {
    load("a", "datetime64[us, America/New_York]");
    load("b", "datetime64[ns, America/New_York]");
    load("c", "datetime64[us]");
    Map<String, Object> value = run(DAY + " FROM a", null);
    assertThat(row(value))
        .containsExactly("2024-06-30", "2024-06-30T00:00:00-04:00", "2024-06-30T23:30:00-04:00");
    assertThat(value.get("warnings")).isEqualTo(List.of());
  }

  @Test
  void theCallerMayNameAnotherZone() throws Exception {
    load("a", "datetime64[us, America/New_York]");
    assertThat(row(run(DAY + " FROM a", "Asia/Kolkata")))
        .containsExactly("2024-07-01", "2024-07-01T00:00:00+05:30", "2024-07-01T09:00:00+05:30");
  }

  @ParameterizedTest
  @ValueSource(strings = {"datetime64[us]", "datetime64[us, UTC]", "datetime64[us, UTC+01:00]"})
  void otherwiseDaysAreThoseOfUtc(String type) throws Exception {
    load("a", type);
    load("b", "datetime64[us, Etc/UTC]");
    Map<String, Object> value = run(DAY + " FROM a", null);
    assertThat(row(value))
        .containsExactly("2024-07-01", "2024-07-01T00:00:00+00:00", "2024-07-01T03:30:00+00:00");
    assertThat(value.get("warnings")).isEqualTo(List.of());
  }

  @Test
  void zonesThatDifferAreNamed() throws Exception {
    load("a", "datetime64[us, America/New_York]");
    load("b", "datetime64[us, Europe/Berlin]");
    Map<String, Object> value = run(DAY + " FROM a", null);
    assertThat(row(value).getFirst()).isEqualTo("2024-07-01");
    assertThat(value.get("warnings").toString())
        .contains("America/New_York, Europe/Berlin", "UTC", "time_zone");
    assertThat(run(DAY + " FROM a", "Europe/Berlin").get("warnings")).isEqualTo(List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "EST-5", "New York", "Mars/Base", "+01:00", "america/new_york"})
  void anUnknownZoneIsRefused(String zone) throws Exception {
    load("a", "datetime64[us, America/New_York]");
    JobFailure failure = catchThrowableOfType(JobFailure.class, () -> run(DAY + " FROM a", zone));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure.message()).contains("'" + zone + "'", "IANA", "America/New_York");
  }

  @Test
  void theEngineHasEachZoneThatIsAccepted() throws Exception {
    try (Statement statement =
        Engine.start(engine.surroundings()).openUnrestricted().connection().createStatement()) {
      for (String zone : ZoneId.getAvailableZoneIds()) {
        try {
          JobTimeZone.require(zone);
        } catch (JobFailure e) {
          continue;
        }
        boolean unused = statement.execute("SET TimeZone = '" + zone + "'");
      }
    }
  }
}
