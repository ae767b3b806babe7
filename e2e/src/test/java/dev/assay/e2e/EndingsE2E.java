package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each way a run can end that other scenarios do not cover, with its reason and message. */
@Full
class EndingsE2E {
  private static final String CLASS = "e2e-endings";
  private static final String ENDLESS =
      "import time\nprint('begun', flush=True)\nwhile True: time.sleep(1)";

  private final Runs runs;

  EndingsE2E(Assay assay) {
    this.runs = new Runs(assay);
  }

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  /** Also removes what an earlier, aborted test run has left. */
  @BeforeAll
  @AfterAll
  static void remove(Assay assay) {
    Classes.remove(assay, CLASS);
  }

  @Test
  void anImageThatIsNotThereIsToldInKubernetesWords(Assay assay) {
    AnalyticsRunStatus ended =
        neverStarts(
            assay, spec -> spec.put("image", "assay/absent:dev").put("imagePullPolicy", "Never"));
    assertThat(ended.message())
        .contains("did not start within 5 s", "ErrImageNeverPull", "assay/absent:dev");
  }

  @Test
  void aPodThatFitsNowhereIsToldInKubernetesWords(Assay assay) {
    AnalyticsRunStatus ended =
        neverStarts(assay, spec -> spec.putObject("nodeSelector").put("no-such-node", "true"));
    assertThat(ended.message()).contains("did not start within 5 s", "Unschedulable", "node");
  }

  @Test
  void aQuotaThatIsUsedUpIsToldInKubernetesWords(Assay assay) {
    try (PodQuota _ = new PodQuota(assay, 0)) {
      AnalyticsRunStatus ended = neverStarts(assay, spec -> {});
      assertThat(ended.message()).contains("did not start within 5 s", "exceeded quota");
    }
  }

  @Test
  void scratchInMemoryRefusesAWriteWhenFull(Assay assay) {
    Reply reply =
        assay.run(
            "sales_data",
            "print('writing')\nopen('big', 'wb').write(b'x' * (80 * 1024 * 1024))\nprint('no')");
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text())
        .startsWith("writing\n")
        .contains("OSError", "No space left on device")
        .doesNotContain("no\n");
  }

  @Test
  void scratchOnDiskEndsTheRunWhenItIsOverrun(Assay assay) {
    Classes.likePython(
        assay,
        CLASS,
        spec -> spec.putObject("scratch").put("sizeLimit", "8Mi").put("medium", "Disk"));
    AnalyticsRunStatus ended =
        runs.awaitEnd(
            runs.create(
                CLASS,
                """
                import time
                print('writing', flush=True)
                with open('big', 'wb') as f:
                    f.write(b'x' * (32 * 1024 * 1024))
                time.sleep(600)
                """,
                140));
    assertThat(ended.reason()).isEqualTo(RunReason.ScratchExceeded);
    assertThat(ended.phase()).isEqualTo(RunPhase.Failed);
    assertThat(ended.message()).contains("scratch", "8Mi");
    assertThat(ended.payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(Runs.output(ended)).isEqualTo("writing\n");
  }

  @Test
  void aPodDeletedBeforeTheStartIsReplacedAndTheRunRuns(Assay assay) {
    AnalyticsRun run = runs.create("python", "print('in the second Pod')", 30);
    Pod first = runs.awaitPod(run);
    assay.kubernetes().resource(first).withGracePeriod(0).delete();
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(ended)).isEqualTo("in the second Pod\n");
    assertThat(Objects.requireNonNull(ended.pod()).uid())
        .isNotEqualTo(first.getMetadata().getUid());
  }

  @Test
  void aRunThatWaitsForRoomIsCancelledAtOnce(Assay assay) {
    Classes.likePython(
        assay, CLASS, spec -> spec.putObject("nodeSelector").put("no-such-node", "true"));
    AnalyticsRun run = runs.create(CLASS, "print(1)", 30);
    runs.awaitReason(run, "WaitingForPod");
    runs.cancel(run);
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(ended.payloadStarted()).isEqualTo(PayloadStarted.No);
    runs.awaitNoPod(run);
  }

  @Test
  void aRunningRunThatIsDeletedIsStoppedAndItsCallerToldSo(Assay assay) throws Exception {
    String mark = "\n# " + UUID.randomUUID();
    // On a separate thread: clients use the common pool, which may have only one thread.
    FutureTask<Reply> call = new FutureTask<>(() -> assay.run("sales_data", ENDLESS + mark, 60));
    Thread.startVirtualThread(call);
    AnalyticsRun run =
        assay
            .runs()
            .inNamespace(assay.namespace())
            .informOnCondition(all -> all.stream().anyMatch(seen -> has(seen, mark)))
            .get(60, TimeUnit.SECONDS)
            .stream()
            .filter(seen -> has(seen, mark))
            .findFirst()
            .orElseThrow();
    runs.awaitRunning(run);
    runs.delete(run);
    Reply reply = call.get();
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).contains("Cancelled");
    runs.awaitNoPod(run);
  }

  @Test
  void aRunDeletedBeforeItsPodIsUpLeavesNoPod(Assay assay) {
    AnalyticsRun run = runs.create("python", ENDLESS, 60);
    runs.awaitPod(run);
    runs.delete(run);
    runs.awaitNoPod(run);
  }

  @Test
  void whatAnEndedPodSaidCanBeReadWhereTheClassKeepsIt(Assay assay) {
    Classes.likePython(
        assay, CLASS, spec -> spec.put("mirrorLogs", true).put("podRetentionSeconds", 60));
    AnalyticsRun run = runs.create(CLASS, "print('for the log')\n1/0", 30);
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.reason()).isEqualTo(RunReason.CodeError);
    assertThat(Objects.requireNonNull(ended.usage()).cpuSeconds()).matches("[0-9]+\\.[0-9]{3}");
    String pod = Objects.requireNonNull(ended.pod()).name();
    // Followed until the supervisor ends: the log is written shortly after the result.
    assertThat(Programs.kubectl("-n", assay.namespace(), "logs", "--follow", pod).orFail())
        .contains("for the log");
    String described =
        Programs.kubectl("-n", assay.namespace(), "describe", "arun", run.getMetadata().getName())
            .orFail();
    assertThat(described)
        .contains("PodCreated", "Created Pod " + pod, "CodeError", "ZeroDivisionError");
    Pod kept = runs.awaitPod(run);
    assertThat(kept.getStatus().getPhase()).isIn("Running", "Succeeded", "Failed");
    runs.delete(run);
    runs.awaitNoPod(run);
  }

  private static boolean has(AnalyticsRun run, String mark) {
    String code = run.getSpec().code();
    return code != null && code.endsWith(mark);
  }

  /** Runs code in a class that cannot start it, with the shortest pending deadline. */
  private AnalyticsRunStatus neverStarts(Assay assay, Consumer<ObjectNode> change) {
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          ((ObjectNode) spec.get("timeouts")).put("pendingSeconds", 5);
          change.accept(spec);
        });
    AnalyticsRun run = runs.create(CLASS, "print(1)", 30);
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.phase()).isEqualTo(RunPhase.Failed);
    assertThat(ended.reason()).isEqualTo(RunReason.StartFailed);
    assertThat(ended.payloadStarted()).isEqualTo(PayloadStarted.No);
    runs.awaitNoPod(run);
    return ended;
  }
}
