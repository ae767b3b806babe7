package dev.assay.e2e;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.e2e.AuditLog.Write;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hundred concurrent runs: all end, none is started twice, and the control plane stays stable.
 */
@Full
class ManyRunsE2E {
  private static final Logger LOG = LoggerFactory.getLogger(ManyRunsE2E.class);

  /** Unique for each execution, so that no run of an earlier one is counted. */
  private static final String CLASS = "e2e-many-" + UUID.randomUUID().toString().substring(0, 8);

  private static final int RUNS = 100;

  /**
   * Six, and one more each where the run waited in a queue, its Pod waited for a node, the run took
   * more than two seconds, which may happen to any with so many at once, and had its Pod's deadline
   * lowered.
   */
  private static final int MAX_WRITES = 6 + 4;

  /** The creation of the run, which this test does in place of the front end. */
  private static final int CREATION = 1;

  private static final long LONGEST_MINUTES = 10;
  private static final int MAX_HEAP_GROWTH_KIB = 32 * 1024;
  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  @Test
  void allEndNoneTwiceAndFewRequestsAreNeededForEach(Assay assay) throws Exception {
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.putObject("resources")
              .put("cpu", "1")
              .put("memory", "256Mi")
              .put("cpuRequest", "50m");
          spec.withObject("/timeouts").put("pendingSeconds", 900);
          spec.put("podRetentionSeconds", 20);
        });
    long heapBefore = operatorHeapKib(assay);
    try (Watched watched = new Watched(assay)) {
      Runs runs = new Runs(assay);
      List<AnalyticsRun> created =
          IntStream.range(0, RUNS)
              .parallel()
              .mapToObj(i -> runs.create(CLASS, "print(" + i + ")\n" + "#".repeat(200_000), 60))
              .toList();
      assertThat(watched.allEnded.await(LONGEST_MINUTES, TimeUnit.MINUTES))
          .as("all have ended; missing are %s", watched.missing(created))
          .isTrue();
      long heapAfter = operatorHeapKib(assay);
      watched.logs.shutdown();
      assertThat(watched.logs.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
      assertThat(watched.phases.values()).containsOnly(RunPhase.Succeeded);
      assertThat(watched.starts)
          .as("starts of each run, by its runner's own record")
          .hasSize(RUNS)
          .allSatisfy((run, starts) -> assertThat(starts).isEqualTo(1));
      for (AnalyticsRun run : created) {
        runs.awaitNoPod(run);
        runs.delete(run);
      }
      assertWrites(assay, created);
      LOG.info("operator heap in KiB: {} before, {} after", heapBefore, heapAfter);
      assertThat(heapAfter - heapBefore).isLessThan(MAX_HEAP_GROWTH_KIB);
    } finally {
      Classes.remove(assay, CLASS);
    }
  }

  /** The deletion of an expired run is one more; here the test has done it. */
  private static void assertWrites(Assay assay, List<AnalyticsRun> created) {
    AuditLog log = new AuditLog(assay.installation().auditLog());
    Map<Long, Long> runsByWrites =
        created.stream()
            .map(run -> writesOf(log, run))
            .peek(
                writes ->
                    assertThat(writes.size() + CREATION + 1)
                        .as("%s", writes)
                        .isLessThanOrEqualTo(MAX_WRITES))
            .collect(groupingBy(writes -> (long) writes.size() + CREATION + 1, counting()));
    LOG.info("runs by their number of API writes: {}", runsByWrites);
  }

  private static List<Write> writesOf(AuditLog log, AnalyticsRun run) {
    String name = run.getMetadata().getName();
    String pod = "run-" + run.getMetadata().getUid();
    return log.writes(
        object -> object.equals(name) || object.equals(pod),
        Instant.parse(run.getMetadata().getCreationTimestamp()));
  }

  /** Measured after a full garbage collection. */
  private static long operatorHeapKib(Assay assay) {
    OperatorPods operators = new OperatorPods(assay);
    String leader = operators.leader();
    operators.kubectl("exec", leader, "--", "jcmd", "1", "GC.run");
    String heap = operators.kubectl("exec", leader, "--", "jcmd", "1", "GC.heap_info");
    Matcher used = USED.matcher(heap);
    long sum = 0;
    for (String line : heap.lines().filter(line -> line.contains(" total ")).toList()) {
      used.reset(line);
      assertThat(used.find()).as(line).isTrue();
      sum += Long.parseLong(used.group(1));
    }
    assertThat(sum).as(heap).isPositive();
    return sum;
  }

  /** Follows the runs, and reads each one's runner log while its Pod is kept. */
  private static final class Watched implements AutoCloseable {
    private final Assay assay;
    private final Map<String, RunPhase> phases = new ConcurrentHashMap<>();
    private final Map<String, Integer> starts = new ConcurrentHashMap<>();
    private final CountDownLatch allEnded = new CountDownLatch(RUNS);
    private final ExecutorService logs = Executors.newFixedThreadPool(4);
    private final SharedIndexInformer<AnalyticsRun> informer;

    Watched(Assay assay) {
      this.assay = assay;
      this.informer = assay.runs().inNamespace(assay.namespace()).inform(new Follow());
    }

    List<String> missing(List<AnalyticsRun> created) {
      return created.stream()
          .map(run -> run.getMetadata().getName())
          .filter(name -> !phases.containsKey(name))
          .toList();
    }

    private void seen(AnalyticsRun run) {
      AnalyticsRunStatus status = run.getStatus();
      RunPhase phase = status == null ? null : status.phase();
      if (!CLASS.equals(run.getSpec().className()) || phase == null || !phase.isFinal()) {
        return;
      }
      String name = run.getMetadata().getName();
      if (phases.putIfAbsent(name, phase) == null) {
        logs.execute(() -> starts.put(name, Runs.startsIn(assay, run)));
        allEnded.countDown();
      }
    }

    @Override
    public void close() {
      informer.close();
      logs.shutdownNow();
    }

    private final class Follow implements ResourceEventHandler<AnalyticsRun> {
      @Override
      public void onAdd(AnalyticsRun run) {
        seen(run);
      }

      @Override
      public void onUpdate(AnalyticsRun before, AnalyticsRun after) {
        seen(after);
      }

      @Override
      public void onDelete(AnalyticsRun run, boolean lastStateUnknown) {
        // Endings are reported by updates.
      }
    }
  }
}
