package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Code has access only to its datasets, and leaves nothing behind. */
@Core
class IsolationE2E {
  private static final String ENDLESS = "import time\nwhile True:\n    time.sleep(1)";

  /** Longer than two pools take to be filled again. */
  private static final int ENDLESS_SECONDS = 600;

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  @Everywhere
  @Warm
  void noSocketOfTheNetworkOpens(Assay assay) {
    String code =
        """
        import socket
        for family in (socket.AF_INET, socket.AF_INET6):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                try:
                    socket.socket(family, kind)
                    print('open')
                except OSError as e:
                    print('refused')
        """;
    assertThat(run(assay, code).text()).isEqualTo("refused\n".repeat(4));
  }

  @Test
  @Everywhere
  @Warm
  void thereIsNoTokenAndNoWayToBecomeMore(Assay assay) {
    String code =
        """
        import os
        print(os.path.exists('/var/run/secrets'))
        print(os.getuid() == 0)
        print([k for k in os.environ if 'KUBERNETES' in k or 'TOKEN' in k])
        status = dict(l.split(':', 1) for l in open('/proc/self/status') if ':' in l)
        print(status['CapEff'].strip(), status['NoNewPrivs'].strip(), status['Seccomp'].strip())
        """;
    assertThat(run(assay, code).text()).isEqualTo("False\nFalse\n[]\n0000000000000000 1 2\n");
  }

  @Test
  @Everywhere
  @Warm
  void onlyScratchCanBeWritten(Assay assay) {
    String code =
        """
        import os, tempfile
        def attempt(path):
            try:
                open(path, 'w').close()
                return 'written'
            except OSError:
                return 'refused'
        print('/usr/x', attempt('/usr/x'))
        print('/datasets/sales-data/x', attempt('/datasets/sales-data/x'))
        print('/etc/x', attempt('/etc/x'))
        print('cwd', attempt('x'))
        print('tmp', attempt(os.path.join(tempfile.gettempdir(), 'x')))
        for name in os.listdir('/datasets/sales-data'):
            print(name.split('.')[0], attempt('/datasets/sales-data/' + name))
        """;
    assertThat(run(assay, code).text())
        .contains(
            "/usr/x refused",
            "/datasets/sales-data/x refused",
            "/etc/x refused",
            "cwd written",
            "tmp written")
        .contains("source refused")
        .doesNotContain("source written", "frame written", "description written");
  }

  @Test
  @Everywhere
  @Warm
  void aRunThatChangesItsFrameChangesNobodyElses(Assay assay) {
    assertThat(run(assay, "df.drop(df.index, inplace=True)\nprint(len(df))").text())
        .isEqualTo("0\n");
    assertThat(run(assay, "print(len(df))").text()).isEqualTo("150\n");
  }

  @Test
  @Warm
  void theProcessOfAQueryIsConfinedAsThatOfCode(Assay assay) throws Exception {
    Runs runs = new Runs(assay);
    compare(
        assay,
        () -> runs.create("python", ENDLESS, ENDLESS_SECONDS, "sales-data"),
        () ->
            runs.createSql(
                "sql", "SELECT count(*) FROM range(1000000000000)", ENDLESS_SECONDS, "sales-data"),
        (python, java) -> {
          assertThat(ProcessHandle.of(java.id()).orElseThrow().info().command().orElseThrow())
              .endsWith("java");
          assertThat(Confinement.of(java)).isEqualTo(Confinement.of(python));
          assertThat(Confinement.of(java).status())
              .contains("CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2")
              .contains("Seccomp_filters:\t2");
          assertThat(Confinement.of(java).foreignNamespaces()).isEmpty();
          assertThat(Confinement.of(java).networkSockets()).isEmpty();
          assertThat(Confinement.of(java).variables()).isEmpty();
          assertThat(new HashSet<>(Confinement.ids(java))).hasSize(1).doesNotContain("0");
        });
  }

  @Test
  @Warm
  void theProcessOfAScriptIsConfinedAsThatOfCode(Assay assay) throws Exception {
    Runs runs = new Runs(assay);
    AnalyticsRunSpec endless =
        AnalyticsRunSpecBuilder.builder()
            .language(Language.TYPESCRIPT)
            .code("for (;;) {}")
            .timeoutSeconds(ENDLESS_SECONDS)
            .build();
    compare(
        assay,
        () -> runs.create("python", ENDLESS, ENDLESS_SECONDS),
        () -> runs.create(endless),
        (python, v8) -> {
          assertThat(ProcessHandle.of(v8.id()).orElseThrow().info().command().orElseThrow())
              .endsWith("java");
          assertThat(Confinement.of(v8)).isEqualTo(Confinement.of(python));
          assertThat(new HashSet<>(Confinement.ids(v8))).hasSize(1).doesNotContain("0");
          assertThat(awaitLibrariesOfScripts(v8))
              .as("V8 and swc, which nobody has unpacked")
              .hasSize(2)
              .allSatisfy(file -> assertThat(file).startsWith("/opt/assay/jvm-runner/native/"));
        });
  }

  /** Assertions about the processes of two runs. */
  private interface Comparison {
    void of(NodeProcess python, NodeProcess other) throws Exception;
  }

  /** Compares the processes of two runs while both are running, and deletes the runs. */
  private static void compare(
      Assay assay,
      Supplier<AnalyticsRun> code,
      Supplier<AnalyticsRun> another,
      Comparison comparison)
      throws Exception {
    List<AnalyticsRun> running = new ArrayList<>();
    try {
      running.add(WarmCalls.createRunning(assay, code));
      running.add(WarmCalls.createRunning(assay, another));
      comparison.of(
          NodeProcess.worker(boundPod(assay, running.getFirst())),
          NodeProcess.worker(boundPod(assay, running.getLast())));
    } finally {
      running.forEach(new Runs(assay)::delete);
    }
  }

  /** swc is loaded once there is TypeScript, which is after the start of the run. */
  private static Set<String> awaitLibrariesOfScripts(NodeProcess process)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    Set<String> libraries = librariesOfScripts(process);
    while (libraries.size() < 2 && System.nanoTime() < end) {
      Thread.sleep(50);
      libraries = librariesOfScripts(process);
    }
    return libraries;
  }

  /** The files that it has mapped; their paths are those in its container. */
  private static Set<String> librariesOfScripts(NodeProcess process) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.id()), "maps")).stream()
        .map(line -> line.replaceFirst("^(\\S+ +){5}", ""))
        .filter(file -> file.contains("javet") || file.contains("swc4j"))
        .collect(Collectors.toSet());
  }

  /** The reply to code that is given a warm Pod, where the classes of the chart have pools. */
  private static Reply run(Assay assay, String code) {
    return WarmCalls.await(assay, () -> assay.run("sales_data", code));
  }

  private static Pod boundPod(Assay assay, AnalyticsRun run) {
    AnalyticsRunStatus status = run.getStatus();
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withName(Objects.requireNonNull(status.pod(), status.message()).name())
        .require();
  }

  @Test
  @Warm
  void tooMuchMemoryEndsTheRunAndIsCalledThat(Assay assay) {
    Reply reply =
        run(assay, "print('filling', flush=True)\nx = np.ones(400_000_000)\nprint('had')");
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).startsWith("filling\n").containsIgnoringCase("memory").contains("512");
  }

  @Test
  void noPodIsLeftAfterARun(Assay assay) throws InterruptedException {
    assertThat(assay.run("sales_data", "print('gone soon')").text()).isEqualTo("gone soon\n");
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    List<String> left = pods(assay);
    while (!left.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(250);
      left = pods(assay);
    }
    assertThat(left).isEmpty();
    assertThat(assay.runs().inNamespace(assay.namespace()).list().getItems())
        .isNotEmpty()
        .allMatch(IsolationE2E::isFinal);
  }

  private static boolean isFinal(AnalyticsRun run) {
    var status = run.getStatus();
    return status != null && status.phase() != null && status.phase().isFinal();
  }

  private static List<String> pods(Assay assay) {
    return assay.kubernetes().pods().inNamespace(assay.namespace()).list().getItems().stream()
        .map((Pod pod) -> pod.getMetadata().getName())
        .collect(Collectors.toList());
  }
}
