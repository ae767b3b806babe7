package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While output cannot be stored it is kept in its Pod, and each run ends as without an outage. */
@Full
class OutputStoreOutageE2E {
  /** Longer than a reconnect to a Pod takes. */
  private static final int OUTAGE_SECONDS = 100;

  private static final String REASON = "OutputStoreUnavailable";

  /** Too long for the status. */
  private static final String COUNT =
      """
      import time
      for n in range(4000):
          print("line", n)
          time.sleep(%s)
      """;

  private final Assay assay;
  private final Runs runs;
  private final OutputVolume volume;
  private final List<AnalyticsRun> created = new ArrayList<>();

  OutputStoreOutageE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
    this.volume = new OutputVolume(assay);
  }

  @BeforeEach
  void close() {
    // Creates the directories that the first output creates.
    AnalyticsRun first = runs.create("python", "print('stored')", 30);
    created.add(first);
    assertThat(runs.awaitEnd(first).phase()).isEqualTo(RunPhase.Succeeded);
    volume.close();
  }

  @AfterEach
  void open() {
    volume.open();
    created.forEach(runs::delete);
    created.forEach(runs::awaitNoPod);
  }

  @Test
  void runsEndAsTheyShouldWithAllTheirOutputOnceItCanBeStored() throws InterruptedException {
    AnalyticsRun quick = create(COUNT.formatted("0"), 2);
    AnalyticsRun slow = create(COUNT.formatted("0.001"), 20);
    AnalyticsRun endless = create("print('begun', flush=True)\nwhile True: pass", 2);
    List<AnalyticsRun> all = List.of(quick, slow, endless);
    try (LostPods lost = new LostPods(assay, all)) {
      all.forEach(this::awaitReason);
      assertThat(lost.isOneLostWithin(OUTAGE_SECONDS))
          .as("a Pod that holds output was deleted")
          .isFalse();
    }
    volume.open();
    assertEnd(quick, RunPhase.Succeeded, wholeOutput());
    assertEnd(slow, RunPhase.Succeeded, wholeOutput());
    assertEnd(endless, RunPhase.TimedOut, "begun\n");
  }

  private AnalyticsRun create(String code, int timeLimit) {
    AnalyticsRun run = runs.create("python", code, timeLimit);
    created.add(run);
    return run;
  }

  private void awaitReason(AnalyticsRun run) {
    assertThat(
            runs.await(
                run, status -> tells(status) || status.phase() != null && status.phase().isFinal()))
        .matches(OutputStoreOutageE2E::tells, "says " + REASON);
  }

  private static boolean tells(AnalyticsRunStatus status) {
    return status.toString().contains(REASON);
  }

  private void assertEnd(AnalyticsRun run, RunPhase phase, String output) {
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.phase()).as(ended.message()).isEqualTo(phase);
    assertThat(assay.rest().get("/runs/" + run.getMetadata().getName() + "/output", 200).body())
        .isEqualTo(output);
  }

  private static String wholeOutput() {
    return CountingRun.lines(4000);
  }

  /** Whether Pods of runs are deleted. */
  private static final class LostPods implements AutoCloseable, ResourceEventHandler<Pod> {
    private final Set<String> uids;
    private final CountDownLatch lost = new CountDownLatch(1);
    private final SharedIndexInformer<Pod> informer;

    LostPods(Assay assay, List<AnalyticsRun> runs) {
      this.uids = runs.stream().map(run -> run.getMetadata().getUid()).collect(Collectors.toSet());
      this.informer =
          assay
              .kubernetes()
              .pods()
              .inNamespace(assay.namespace())
              .withLabel(Runs.RUN_UID)
              .inform(this);
    }

    boolean isOneLostWithin(long seconds) throws InterruptedException {
      return lost.await(seconds, TimeUnit.SECONDS);
    }

    @Override
    public void onAdd(Pod pod) {
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        onDelete(pod, false);
      }
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      onAdd(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      if (uids.contains(pod.getMetadata().getLabels().get(Runs.RUN_UID))) {
        lost.countDown();
      }
    }

    @Override
    public void close() {
      informer.close();
    }
  }
}
