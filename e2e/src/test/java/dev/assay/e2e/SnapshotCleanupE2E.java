package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Unused data is removed from the volume, and data in use is kept. */
@Full
class SnapshotCleanupE2E {
  private static final String REPLACED = "cleanup-replaced";
  private static final String DELETED = "cleanup-deleted";

  /** Reads the snapshot that the run is pinned to long after it was replaced. */
  private static final String LATE_READER =
      """
      import time
      print("up", flush=True)
      time.sleep(75)
      print(open("/datasets/%s/source.csv").read().split())
      """
          .formatted(REPLACED);

  @Test
  void onlyWhatIsReadStaysOnTheVolume(Assay assay) {
    String first = assay.uploadCsv(REPLACED, "a\n1\n");
    String deleted = assay.uploadCsv(DELETED, "a\n2\n");
    Runs runs = new Runs(assay);
    OperatorPods operator = new OperatorPods(assay);
    String before = setting(operator);
    sweepEachFewSeconds(operator, before);
    try {
      AnalyticsRun reader = runs.create("python", LATE_READER, 150, REPLACED);
      Pod pod = runs.awaitPod(reader);
      runs.awaitRunning(reader);
      String second = assay.uploadCsv(REPLACED, "a\n3\n");
      String third = assay.uploadCsv(REPLACED, "a\n4\n");
      assay.rest().delete("/datasets/" + DELETED);

      awaitOnVolume(assay, pod, List.of(first, third), List.of(second, deleted, folder(deleted)));

      AnalyticsRunStatus ended = runs.awaitEnd(reader);
      assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
      assertThat(Runs.output(ended)).isEqualTo("up\n['a', '1']\n");

      awaitOnVolume(assay, pod, List.of(third), List.of(first));
      assertThat(assay.run(REPLACED, "print(df['a'][0])").text()).isEqualTo("4\n");
    } finally {
      configure(operator, before);
    }
  }

  private static String folder(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private static String setting(OperatorPods operator) {
    return operator.kubectl(
        "get", "configmap", OperatorPods.NAME, "-o", "jsonpath={.data.operator\\.yaml}");
  }

  private static void sweepEachFewSeconds(OperatorPods operator, String setting) {
    String often =
        setting
            .replaceFirst("everySeconds: \\d+", "everySeconds: 5")
            .replaceFirst("minAgeSeconds: \\d+", "minAgeSeconds: 1");
    assertThat(often).contains("everySeconds: 5", "minAgeSeconds: 1\n");
    configure(operator, often);
  }

  private static void configure(OperatorPods operator, String setting) {
    String indented = setting.lines().map(line -> "    " + line).collect(Collectors.joining("\n"));
    operator.kubectlWithInput(
        "data:\n  operator.yaml: |\n" + indented + "\n",
        "patch",
        "configmap",
        OperatorPods.NAME,
        "--type=merge",
        "--patch-file=/dev/stdin");
    operator.kubectl("rollout", "restart", "deployment/" + OperatorPods.NAME);
    operator.awaitAll();
    operator.leader();
  }

  /** Waits on the volume itself until some directories exist and others do not. */
  private static void awaitOnVolume(
      Assay assay, Pod runPod, List<String> there, List<String> gone) {
    String program =
        """
        import os, time
        there, gone = %s, %s
        end = time.monotonic() + 60
        while any(os.path.exists("/volume/" + path) for path in gone) and time.monotonic() < end:
            time.sleep(0.2)
        print([path for path in there + gone if os.path.exists("/volume/" + path)])
        """
            .formatted(quoted(there), quoted(gone));
    assertThat(new SnapshotVolume(assay, runPod).read(program)).isEqualTo(quoted(there) + "\n");
  }

  private static String quoted(List<String> paths) {
    return paths.stream().map(path -> "'" + path + "'").collect(Collectors.joining(", ", "[", "]"));
  }
}
