package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunTimings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** More scripts than may run at a time: all end, in the order of their arrival. */
@Full
@ClusterOnly("its machine has tests beside it, and no room for ten scripts at a time")
class ScriptQueueE2E {
  private static final Logger LOG = LoggerFactory.getLogger(ScriptQueueE2E.class);
  private static final String CLASS = "e2e-script-queue";
  private static final int CALLS = 50;

  /** That of the class javascript. */
  private static final int MAX_RUNNING = 10;

  /** It takes a while and no processor. */
  private static final String CODE =
      "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, input.millis); input.n";

  private static final int MILLIS = 2000;

  /** Until all others have arrived. */
  private static final int FIRST_MILLIS = 20_000;

  private final Assay assay;
  private final Runs runs;
  private final List<AnalyticsRun> created = new ArrayList<>();

  ScriptQueueE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @AfterEach
  void remove() {
    created.forEach(runs::delete);
    Classes.remove(assay, CLASS);
  }

  /**
   * A run that had its Pod.
   *
   * @param created in whole seconds, as Kubernetes has it
   */
  private record Seen(String name, Instant created, Instant bound, Instant finished) {
    static Seen of(AnalyticsRun run) {
      AnalyticsRunStatus status = requireNonNull(run.getStatus());
      RunTimings timings = requireNonNull(status.timings(), status.message());
      return new Seen(
          run.getMetadata().getName(),
          Instant.parse(run.getMetadata().getCreationTimestamp()),
          Instant.parse(requireNonNull(timings.bound())),
          Instant.parse(requireNonNull(timings.finished())));
    }
  }

  @Test
  void fiftyCallsAtOnceAllHaveTheirValuesAndTenRunAtATimeInTheOrderOfTheirArrival()
      throws Exception {
    long began = System.nanoTime();
    List<String> names = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<JsonNode>> calls =
          IntStream.range(0, CALLS)
              .mapToObj(
                  n ->
                      threads.submit(
                          () ->
                              Script.of(CODE)
                                  .input(Map.of("n", n, "millis", MILLIS))
                                  .byRest(assay)))
              .toList();
      for (int n = 0; n < CALLS; n++) {
        JsonNode reply = calls.get(n).get();
        assertThat(reply.path("ok").asBoolean()).as(reply.toString()).isTrue();
        assertThat(reply.path("value").asInt()).isEqualTo(n);
        names.add(reply.path("execution_id").asText());
      }
    }
    List<Seen> seen = names.stream().map(this::run).map(Seen::of).toList();
    LOG.info(
        "{} scripts at once, {} at a time at most: all ended after {}",
        CALLS,
        maxAtATime(seen),
        Duration.ofNanos(System.nanoTime() - began));

    assertThat(maxAtATime(seen)).isBetween(2, MAX_RUNNING);
    assertThat(seen)
        .allSatisfy(
            run ->
                assertThat(overtaken(run, seen))
                    .as("%s was bound before those of earlier seconds", run.name())
                    .hasSizeLessThan(MAX_RUNNING));
  }

  private AnalyticsRun run(String name) {
    return assay.runs().inNamespace(assay.namespace()).withName(name).require();
  }

  /** Those that arrived before it and got their Pods later: its Pod may have started faster. */
  private static List<String> overtaken(Seen run, List<Seen> all) {
    return all.stream()
        .filter(other -> other.created().isBefore(run.created()))
        .filter(other -> other.bound().isAfter(run.bound()))
        .map(Seen::name)
        .toList();
  }

  private static int maxAtATime(List<Seen> runs) {
    record Change(Instant at, int by) {}

    List<Change> changes =
        runs.stream()
            .flatMap(run -> Stream.of(new Change(run.bound(), 1), new Change(run.finished(), -1)))
            .sorted(Comparator.comparing(Change::at).thenComparing(Change::by))
            .toList();
    int now = 0;
    int max = 0;
    for (Change change : changes) {
      now += change.by();
      max = Math.max(max, now);
    }
    return max;
  }

  @Test
  void theOneScriptOfACallerWaitsForItsTurnAndNotForAllOfAnother() {
    Classes.like(
        "javascript",
        assay,
        CLASS,
        spec -> {
          spec.put("maxConcurrentRuns", MAX_RUNNING).remove("warmPool");
          spec.withObject("/resources").put("cpuRequest", "50m");
        });
    for (int i = 0; i < 4 * MAX_RUNNING; i++) {
      create("many", i < MAX_RUNNING ? FIRST_MILLIS : MILLIS);
    }
    runs.awaitReason(created.getLast(), "Queued");
    AnalyticsRun single = create("single", MILLIS);
    for (AnalyticsRun run : created) {
      AnalyticsRunStatus status = runs.awaitEnd(run);
      assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    }
    Seen last = Seen.of(run(single.getMetadata().getName()));

    assertThat(created)
        .map(run -> Seen.of(run(run.getMetadata().getName())))
        .filteredOn(run -> run.bound().isBefore(last.bound()))
        .as("those that ran, and those that got a slot at the same time")
        .hasSizeLessThanOrEqualTo(2 * MAX_RUNNING);
  }

  private AnalyticsRun create(String caller, int millis) {
    AnalyticsRun run =
        runs.create(
            AnalyticsRunSpecBuilder.builder()
                .className(CLASS)
                .language(Language.JAVASCRIPT)
                .code(CODE)
                .input("{\"n\": 1, \"millis\": %d}".formatted(millis))
                .timeoutSeconds(60)
                .caller(caller)
                .build());
    created.add(run);
    return run;
  }
}
