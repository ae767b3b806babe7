package dev.assay.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProgramMetricsTest {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)\\})? (NaN|[+-]?Inf|[-+.eE\\d]+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

  private ProgramMetrics metrics = ProgramMetrics.create();

  @AfterEach
  void close() {
    metrics.close();
  }

  /** Name and labels of each sample, and its value. */
  private Map<String, Double> scrape() {
    Map<String, Double> samples = new TreeMap<>();
    metrics
        .text()
        .lines()
        .filter(line -> !line.startsWith("# HELP ") && !line.startsWith("# TYPE "))
        .forEach(
            line -> {
              Matcher sample = SAMPLE.matcher(line);
              assertThat(sample.matches()).as(line).isTrue();
              String labels = sample.group(2) == null ? "" : sample.group(2);
              assertThat(LABEL.matcher(labels).replaceAll("")).as(line).isEmpty();
              samples.put(
                  sample.group(1) + "{" + labels + "}",
                  Double.parseDouble(sample.group(3).replace("Inf", "Infinity")));
            });
    return samples;
  }

  @Test
  void aCounterHasItsNameWhetherOrNotItHasTheSuffix() {
    metrics.registry().counter("assay_calls_total", "server", "crm").increment();
    Counter.builder("assay_runs").register(metrics.registry()).increment(2);
    assertThat(scrape())
        .containsOnly(
            Map.entry("assay_calls_total{server=\"crm\"}", 1.0),
            Map.entry("assay_runs_total{}", 2.0));
  }

  @Test
  void whatAnybodyChoseForALabelForgesNoSample() {
    metrics.registry().counter("assay_calls_total", "caller", "a\"} 7\nforged{x=\"\\").increment();
    assertThat(scrape())
        .containsOnly(Map.entry("assay_calls_total{caller=\"a\\\"} 7\\nforged{x=\\\"\\\\\"}", 1.0));
  }

  @Test
  void gaugesAreCountedAnewForEachScrapeAndOnesThatAreGoneAreNotShown() {
    List<ProgramMetrics.Row> rows = new ArrayList<>();
    metrics.gauges("assay_waiting", "Runs that wait.", () -> List.copyOf(rows));
    rows.add(new ProgramMetrics.Row(Tags.of("gate", "slot"), 3));
    assertThat(scrape()).containsOnly(Map.entry("assay_waiting{gate=\"slot\"}", 3.0));
    rows.set(0, new ProgramMetrics.Row(Tags.of("gate", "slot"), 4));
    assertThat(scrape()).containsOnly(Map.entry("assay_waiting{gate=\"slot\"}", 4.0));
    rows.clear();
    assertThat(scrape()).isEmpty();
  }

  @Test
  void gaugesThatCannotBeCountedLeaveTheOthers() {
    metrics.gauges(
        "assay_broken",
        "What cannot be counted.",
        () -> {
          throw new IllegalStateException("no cache");
        });
    metrics.registry().counter("assay_calls_total").increment();
    assertThat(scrape()).containsOnlyKeys("assay_calls_total{}");
  }

  @Test
  void aHistogramOfALibraryHasFewBucketsAndNoLabelWithoutALimit() {
    Timer.builder("operator.sdk.reconcile")
        .publishPercentileHistogram()
        .tag("reconciliations.retries.number", "17")
        .register(metrics.registry())
        .record(Duration.ofMillis(50));
    assertThat(scrape())
        .hasSize(9)
        .containsEntry("operator_sdk_reconcile_seconds_bucket{le=\"0.01\"}", 0.0)
        .containsEntry("operator_sdk_reconcile_seconds_bucket{le=\"0.1\"}", 1.0)
        .containsEntry("operator_sdk_reconcile_seconds_count{}", 1.0);
  }

  @Test
  void requestsToTheApiServerAreCountedByMethodAndClassOfStatus() {
    ApiRequestMetrics requests = new ApiRequestMetrics(metrics);
    requests.ended("GET", 200, Duration.ofMillis(20));
    requests.ended("GET", 201, Duration.ofMillis(20));
    requests.ended("PATCH", 409, Duration.ofSeconds(2));
    requests.ended("POST", 0, Duration.ofSeconds(30));
    assertThat(scrape())
        .containsEntry("assay_api_request_seconds_count{method=\"get\",status=\"2xx\"}", 2.0)
        .containsEntry(
            "assay_api_request_seconds_bucket{method=\"get\",status=\"2xx\",le=\"0.01\"}", 0.0)
        .containsEntry(
            "assay_api_request_seconds_bucket{method=\"get\",status=\"2xx\",le=\"0.05\"}", 2.0)
        .containsEntry("assay_api_request_seconds_sum{method=\"patch\",status=\"4xx\"}", 2.0)
        .containsEntry("assay_api_request_seconds_count{method=\"post\",status=\"none\"}", 1.0);
  }

  @Test
  void aProcessShowsItsHeapThreadsCollectionsFilesAndCpu() {
    metrics = ProgramMetrics.ofProcess();
    assertThat(scrape().keySet().stream().map(sample -> sample.replaceAll("\\{.*", "")))
        .contains(
            "jvm_memory_used_bytes",
            "jvm_memory_max_bytes",
            "jvm_threads_live_threads",
            "process_files_open_files",
            "process_cpu_usage");
  }

  @Test
  void metricsThatNobodyReadsKeepNothing() {
    metrics = ProgramMetrics.unread();
    metrics.registry().counter("assay_calls_total").increment();
    metrics.gauges(
        "assay_waiting",
        "Runs that wait.",
        () -> {
          throw new AssertionError("counted");
        });
    assertThat(metrics.text()).isEmpty();
  }
}
