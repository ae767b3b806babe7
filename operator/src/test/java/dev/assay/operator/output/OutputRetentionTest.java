package dev.assay.operator.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class OutputRetentionTest {
  private static final List<OutputEntry> STORED =
      List.of(entry("run-2", 4, 2), entry("run-3", 1, 3), entry("run-1", 6, 1));

  @Test
  void nothingIsRemovedWithinTheLimits() {
    assertThat(excess(3, 11, run -> true)).isEmpty();
  }

  @Test
  void theOldestAreRemovedWhereThereAreTooMany() {
    assertThat(excess(1, 1000, run -> true)).containsExactly("run-1", "run-2");
  }

  @Test
  void theOldestAreRemovedWhereTheyTakeTooMuch() {
    assertThat(excess(100, 10, run -> true)).containsExactly("run-1");
    assertThat(excess(100, 4, run -> true)).containsExactly("run-1", "run-2");
  }

  @Test
  void whatACallerStoresCostsThoseNothingWhoHaveLess() {
    OutputStoreConfig limits = new OutputStoreConfig("/outputs", 2, 1000, 5);
    assertThat(
            OutputRetention.excess(
                STORED, limits, run -> true, run -> run.equals("run-1") ? "bob" : "alice"))
        .extracting(OutputEntry::runUid)
        .as("not the oldest, which is Bob's only one")
        .containsExactly("run-2");
  }

  @Test
  void whatMayNotBeRemovedCountsAndStays() {
    assertThat(excess(2, 1000, run -> !run.equals("run-1"))).containsExactly("run-2");
    assertThat(excess(0, 0, run -> false)).isEmpty();
  }

  @Test
  void theOldestValuesOfCachedResultsAreRemovedWhereTheyTakeTooMuch() {
    assertThat(excessOfCache(5, run -> true)).isEmpty();
    assertThat(excessOfCache(4, run -> true)).containsExactly("run-1");
    assertThat(excessOfCache(0, run -> true)).containsExactly("run-1", "run-2");
  }

  @Test
  void valuesOfResultsThatAreNotCachedNeitherCountNorGo() {
    assertThat(excessOfCache(2, run -> !run.equals("run-1"))).isEmpty();
    assertThat(excessOfCache(1, run -> !run.equals("run-1"))).containsExactly("run-2");
  }

  private static List<String> excessOfCache(long maxBytes, Predicate<String> cached) {
    return OutputRetention.excessOfCache(STORED, maxBytes, cached, run -> "").stream()
        .map(OutputEntry::runUid)
        .toList();
  }

  private static List<String> excess(int maxRuns, long maxBytes, Predicate<String> removable) {
    OutputStoreConfig limits = new OutputStoreConfig("/outputs", maxRuns, maxBytes, maxBytes);
    return OutputRetention.excess(STORED, limits, removable, run -> "").stream()
        .map(OutputEntry::runUid)
        .toList();
  }

  private static OutputEntry entry(String run, long bytes, int second) {
    return new OutputEntry(
        run, bytes - bytes / 2, bytes / 2, 0, 0, Instant.EPOCH.plusSeconds(second));
  }
}
