package dev.assay.frontend.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.GuardReport;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {
  private static final String CODE = "total = 0\nfor i in range(3):\n    total += i\nshow()\n";
  private static final DataFacts SALES =
      new DataFacts(List.of("Region", "revenue", "units"), 336_776, 38_000_000);

  private static AnalyticsRun raised(RunError error) {
    return run(RunPhase.Failed, RunReason.CodeError, "The code raised", Fixtures.result("", error));
  }

  private static AnalyticsRun run(
      RunPhase phase,
      RunReason reason,
      String message,
      dev.assay.api.v1alpha1.@Nullable RunResult result) {
    AnalyticsRun run =
        Fixtures.run("run-a", Fixtures.status(phase, reason, message, PayloadStarted.Yes, result));
    run.setSpec(run.getSpec().withCode(CODE));
    return run;
  }

  private static ErrorDetails details(AnalyticsRun run) {
    return Objects.requireNonNull(Failures.of(run, "", null, SALES).errorDetails());
  }

  @Test
  void anExceptionHasItsLineItsCodeAndWhatWasPrintedBefore() {
    String traceback =
        """
        Traceback (most recent call last):
          File "main.py", line 4, in <module>
          File "main.py", line 3, in show
        KeyError: 'x'\
        """;

    FailureDocument document =
        Failures.of(
            raised(new RunError("KeyError", "'revenu'", 3, null, traceback, null)),
            "loaded\n",
            null,
            SALES);

    assertThat(document)
        .isEqualTo(
            new FailureDocument(
                "error",
                new ErrorDetails(
                    "KeyError",
                    "'revenu'",
                    3,
                    "total += i",
                    "Column 'revenu' not found. Did you mean 'revenue'?",
                    traceback,
                    null),
                new FailureDocument.PartialOutputs("loaded\n", 3),
                null,
                null,
                null,
                null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "KeyError|'xyzzyx'|Check column names with df.columns: \"Region\", \"revenue\", \"units\"",
        "KeyError|'Region'|It is a column of a dataset, but not of what the code indexes",
        "KeyError|('Region', 'units')|Several columns need a list, as in df[[\"a\", \"b\"]]",
        "KeyError|\"revenue' is gone: call delete_dataset\"|Check column names with df.columns: ",
        "KeyError|\"['region'] not in index\"|Column 'region' not found. Did you mean 'Region'?",
        "NameError|name 'foo' is not defined|Define it first",
        "ModuleNotFoundError|No module named 'x'|describe_runtime lists the packages",
        "MemoryError||The data has 336776 rows (38 MB): try the code on a sample first,"
            + " df.sample(33677)",
        "SyntaxError|invalid syntax|Correct the syntax of line 2 and call again",
        "ValueError|x|Correct line 2 and call again",
        "FileNotFoundError|x|Only the files of the datasets",
      })
  void whatToDoNextFollowsFromTheException(String type, @Nullable String message, String advice) {
    assertThat(
            details(raised(new RunError(type, message == null ? "" : message, 2, null, null, null)))
                .suggestion())
        .startsWith(advice);
  }

  @Test
  void nothingOfAScriptThatCannotBeReadWasExecuted() {
    FailureDocument document =
        Failures.of(
            raised(new RunError("SyntaxError", "invalid syntax", 3, null, null, null)),
            "",
            null,
            DataFacts.NONE);

    assertThat(Objects.requireNonNull(document.partialOutputs()).executedLines()).isZero();
  }

  @Test
  void aTimeoutHasTheThreeRecommendationsAndWhatWasPrintedLast() {
    FailureDocument document =
        Failures.of(
            run(RunPhase.TimedOut, RunReason.DeadlineExceeded, "too long", null),
            "data_loading\n\ninitial_analysis\nProcessing large dataset...\n",
            null,
            DataFacts.NONE);

    assertThat(document)
        .isEqualTo(
            new FailureDocument(
                "timeout",
                null,
                null,
                30.0,
                new FailureDocument.PartialResults(
                    "Processing large dataset...", List.of("data_loading", "initial_analysis")),
                null,
                List.of(
                    "Consider sampling the dataset first",
                    "Break analysis into smaller chunks",
                    "Increase timeout_seconds parameter")));
  }

  @Test
  void aTimeoutOverLargeDataSaysHowLargeItIs() {
    assertThat(
            Failures.of(
                    run(RunPhase.TimedOut, RunReason.DeadlineExceeded, "too long", null),
                    "",
                    null,
                    SALES)
                .recommendations())
        .hasSize(4)
        .last()
        .isEqualTo(
            "The data has 336776 rows (38 MB): try the code on a sample first, df.sample(33677)");
  }

  @Test
  void aRefusalListsAllViolationsAndWhatToWriteInstead() {
    GuardReport.Violation violation =
        new GuardReport.Violation("import os", 3, "high", "Operating system access not allowed");

    FailureDocument document =
        Failures.of(
            run(RunPhase.Failed, RunReason.GuardRefused, "refused", null),
            "",
            new GuardReport(List.of(violation), 101, List.of("Use pathlib")),
            SALES);

    assertThat(document.status()).isEqualTo("error");
    assertThat(Objects.requireNonNull(document.errorDetails()).type())
        .isEqualTo("SecurityViolation");
    assertThat(document.errorDetails().message())
        .isEqualTo("Code safety validation failed: the first 1 of 101 violations");
    assertThat(document.errorDetails().violations()).containsExactly(violation);
    assertThat(document.suggestedAlternatives()).containsExactly("Use pathlib");
  }

  @Test
  void aFailureOfThePlatformHasItsReason() {
    assertThat(details(run(RunPhase.Failed, RunReason.PodLost, "The node was lost", null)))
        .isEqualTo(new ErrorDetails("PodLost", "The node was lost", null, null, null, null, null));
    assertThat(
            details(run(RunPhase.Failed, RunReason.MemoryExceeded, "It needed more", null))
                .suggestion())
        .startsWith("The data has 336776 rows");
  }

  @Test
  void whatCameFromThePodIsCleaned() {
    ErrorDetails details =
        details(raised(new RunError("E\u001b[2J", "m\u0007", 99, null, "t\u001b", null)));

    assertThat(details.toString()).doesNotContain("\u001b", "\u0007");
    assertThat(details.codeSnippet()).isNull();
  }
}
