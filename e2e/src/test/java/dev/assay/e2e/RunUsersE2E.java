package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each run Pod has users of its own, because the kernel's limits per user apply across Pods. */
@Core
class RunUsersE2E {
  /** The default range of a run namespace. */
  private static final long FIRST = 20_000;

  private static final long LAST = 59_999;
  private static final int RUNS = 4;

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void supervisorAndWorkerOfEachRunAreUsersThatNobodyElseIs(Assay assay) {
    Runs runs = new Runs(assay);
    List<AnalyticsRun> created =
        IntStream.range(0, RUNS)
            .mapToObj(
                i ->
                    runs.create(
                        "python",
                        "import os, time\nprint(os.getuid(), flush=True)\ntime.sleep(200)",
                        300))
            .toList();
    try {
      List<Long> users = new ArrayList<>();
      for (AnalyticsRun run : created) {
        assertThat(runs.awaitRunning(run).phase()).isEqualTo(RunPhase.Running);
        users.addAll(users(runs.awaitPod(run)));
      }
      assertThat(users)
          .hasSize(2 * RUNS)
          .doesNotHaveDuplicates()
          .allSatisfy(user -> assertThat(user).isBetween(FIRST, LAST))
          .doesNotContainAnyElementsOf(usersOfTheControlPlane(assay));
      for (AnalyticsRun run : created) {
        Pod pod = runs.awaitPod(run);
        runs.cancel(run);
        AnalyticsRunStatus ended = runs.awaitEnd(run);
        assertThat(Runs.output(ended)).isEqualTo(user(pod, "worker") + "\n");
      }
    } finally {
      created.forEach(runs::delete);
      created.forEach(runs::awaitNoPod);
    }
  }

  @Test
  void codeIsToldANameForItsUser(Assay assay) {
    String code =
        """
        import getpass, os
        print(os.environ["USER"] == os.environ["LOGNAME"] == getpass.getuser() != "")
        """;
    assertThat(assay.run("sales_data", code).text()).isEqualTo("True\n");
  }

  @Test
  void allSnapshotsAreMadeByTheSameTwoUsers(Assay assay) {
    Set<Long> seen = new CopyOnWriteArraySet<>();
    try (SharedIndexInformer<Pod> informer =
        assay
            .kubernetes()
            .pods()
            .inNamespace(assay.namespace())
            .withLabelSelector("!" + Runs.RUN_UID)
            .inform(new Users(seen))) {
      assertThat(informer.hasSynced()).isTrue();
      assay.deleteDataset("users");
      assay.inlineDataset("users", DatasetFormat.CSV, "a\n1\n");
    }
    assertThat(seen).containsExactlyInAnyOrder(65_531L, 65_532L);
  }

  private static List<Long> usersOfTheControlPlane(Assay assay) {
    OperatorPods system = new OperatorPods(assay);
    return Stream.of("operator", "mcp-frontend")
        .map(
            part ->
                system.kubectl("exec", "deployment/assay-" + part, "--", "cat", "/proc/1/status"))
        .flatMap(String::lines)
        .filter(line -> line.startsWith("Uid:"))
        .map(line -> Long.valueOf(line.split("\\s+", -1)[1]))
        .toList();
  }

  private static List<Long> users(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .map(container -> user(pod, container.getName()))
        .toList();
  }

  /** The container's setting, or else its Pod's. */
  private static Long user(Pod pod, String name) {
    Container container =
        pod.getSpec().getContainers().stream()
            .filter(candidate -> candidate.getName().equals(name))
            .findFirst()
            .orElseThrow();
    Long own = container.getSecurityContext().getRunAsUser();
    return Objects.requireNonNull(
        own != null ? own : pod.getSpec().getSecurityContext().getRunAsUser());
  }

  private record Users(Set<Long> seen) implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      seen.addAll(users(pod));
    }

    @Override
    public void onUpdate(Pod before, Pod after) {
      // The users of a Pod never change.
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      // They were recorded.
    }
  }
}
