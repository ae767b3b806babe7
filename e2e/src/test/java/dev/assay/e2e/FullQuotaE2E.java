package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs that wait for room in a quota send almost no requests; callers take turns, and the runs of
 * each start in order of creation.
 */
@Full
class FullQuotaE2E {
  private static final Logger LOG = LoggerFactory.getLogger(FullQuotaE2E.class);
  private static final String CLASS = "e2e-full-quota";
  private static final String DATASET = "sales-data";

  /** The runs of a group are created within one second, the resolution of creationTimestamp. */
  private static final int GROUPS = 5;

  private static final int GROUP = 10;
  private static final int PLACES = 4;
  private static final int WINDOW_SECONDS = 20;

  /** How many windows may pass until one without the first reconciles of the runs. */
  private static final int MAX_WINDOWS = 6;

  private static final double MAX_REQUESTS_PER_SECOND = 3;

  private final Assay assay;
  private final Runs runs;
  private final List<AnalyticsRun> created = new ArrayList<>();

  FullQuotaE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @BeforeEach
  void prepare() {
    Samples.sales(assay);
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.withObject("/resources").put("memory", "256Mi").put("cpuRequest", "50m");
          spec.withObject("/timeouts").put("pendingSeconds", 900);
        });
  }

  @AfterEach
  void remove() {
    created.forEach(runs::delete);
    created.forEach(runs::awaitNoPod);
    Classes.remove(assay, CLASS);
  }

  @Test
  void fiftyRunsWaitQuietlyAndStartInTheOrderOfTheirCreation() throws InterruptedException {
    try (PodQuota quota = new PodQuota(assay, 0);
        Starts starts = new Starts(assay)) {
      createAll();
      double requests = quietestWindow();
      quota.allow(PLACES);
      assertThat(created)
          .extracting(run -> runs.awaitEnd(run).phase())
          .containsOnly(RunPhase.Succeeded);
      assertSoftly(
          softly -> {
            softly.assertThat(requests).as("a second").isLessThan(MAX_REQUESTS_PER_SECOND);
            softly.assertThat(outOfTurn(starts.runUids())).as("out of turn").isEmpty();
          });
    }
  }

  @Test
  void theOneRunOfACallerWaitsForOneOfAnotherCallersManyAndNotForAll() {
    try (PodQuota quota = new PodQuota(assay, 1)) {
      AnalyticsRun busy = create("many", "import time; time.sleep(50)");
      runs.awaitRunning(busy);
      for (int i = 0; i < GROUP; i++) {
        create("many", "print(1)");
      }
      runs.awaitReason(created.getLast(), "Queued");
      AnalyticsRun single = create("single", "print(1)");
      runs.awaitReason(single, "Queued");
      runs.cancel(busy);
      AnalyticsRunStatus ended = runs.awaitEnd(single);
      quota.allow(GROUP);
      assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
      assertThat(created)
          .filteredOn(run -> bound(runs.await(run, any -> true)).isBefore(bound(ended)))
          .as("the one that ran, and the other caller's turn")
          .hasSizeLessThanOrEqualTo(2);
    }
  }

  private static Instant bound(AnalyticsRunStatus status) {
    String bound = status.timings() == null ? null : status.timings().bound();
    return bound == null ? Instant.MAX : Instant.parse(bound);
  }

  private AnalyticsRun create(String caller, String code) {
    AnalyticsRun run = runs.createFor(caller, CLASS, code, 60);
    created.add(run);
    return run;
  }

  private void createAll() throws InterruptedException {
    for (int group = 0; group < GROUPS; group++) {
      for (int i = 0; i < GROUP; i++) {
        created.add(runs.create(CLASS, "print(len(df))", 60, DATASET));
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  private double quietestWindow() throws InterruptedException {
    double quietest = Double.MAX_VALUE;
    for (int i = 0; i < MAX_WINDOWS && quietest >= MAX_REQUESTS_PER_SECOND; i++) {
      ApiRequests before = ApiRequests.now(assay);
      TimeUnit.SECONDS.sleep(WINDOW_SECONDS);
      ApiRequests during = ApiRequests.now(assay).since(before);
      LOG.info("{} runs wait, {} s, requests: {}", created.size(), WINDOW_SECONDS, during);
      quietest = Math.min(quietest, during.total() / WINDOW_SECONDS);
    }
    return quietest;
  }

  /** Those that start at the same time may do so in any order. */
  private List<String> outOfTurn(List<String> starts) {
    List<String> uids = created.stream().map(run -> run.getMetadata().getUid()).toList();
    List<Integer> order = starts.stream().map(uids::indexOf).filter(i -> i >= 0).toList();
    LOG.info("Runs by their number, in the order of their starts: {}", order);
    assertThat(order).hasSameSizeAs(uids);
    return IntStream.range(0, order.size())
        .filter(place -> isOutOfTurn(order.get(place), place))
        .mapToObj(place -> "run " + order.get(place) + " was number " + place)
        .toList();
  }

  private static boolean isOutOfTurn(int run, int place) {
    int firstOfGroup = run / GROUP * GROUP;
    return place < firstOfGroup - PLACES || place >= firstOfGroup + GROUP + PLACES;
  }

  /** The runs that Pods are created for, in order. */
  private static final class Starts implements AutoCloseable, ResourceEventHandler<Pod> {
    private final List<String> runUids = new CopyOnWriteArrayList<>();
    private final SharedIndexInformer<Pod> informer;

    Starts(Assay assay) {
      informer =
          assay
              .kubernetes()
              .pods()
              .inNamespace(assay.namespace())
              .withLabel(Runs.RUN_UID)
              .inform(this);
    }

    List<String> runUids() {
      return runUids;
    }

    @Override
    public void onAdd(Pod pod) {
      runUids.add(pod.getMetadata().getLabels().get(Runs.RUN_UID));
    }

    @Override
    public void onUpdate(Pod before, Pod after) {
      // Only the creation matters.
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      // Only the creation matters.
    }

    @Override
    public void close() {
      informer.close();
    }
  }
}
