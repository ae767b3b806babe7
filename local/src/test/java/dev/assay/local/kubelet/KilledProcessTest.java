package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.PossibleIsolation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left where the process that runs Pods is killed: nothing that runs. */
@Tag("slow")
class KilledProcessTest {
  private static final String UP = "up";
  private static final int TIMEOUT_SECONDS = 60;

  @TempDir private Path directory;

  /** A kubelet with one Pod, whose worker leaves its session, as a program of its own. */
  public static void main(String[] arguments) throws IOException {
    RunningKubelet kubelet =
        new RunningKubelet(Isolation.valueOf(arguments[0]), Path.of(arguments[1]));
    String program =
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            print("daemon", flush=True)
        time.sleep(600)
        """;
    kubelet.awaitLog(
        kubelet.create(Pods.build("daemon", Pods.worker(program))), "worker", "daemon");
    System.out.println(UP);
  }

  @ParameterizedTest
  @EnumSource(Isolation.class)
  void noProcessOutlivesTheOneThatStartedIt(Isolation isolation) throws Exception {
    assumeThat(PossibleIsolation.works(isolation)).as("%s works here", isolation).isTrue();
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                KilledProcessTest.class.getName(),
                isolation.name(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<ProcessHandle> processes;
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(java.getInputStream(), StandardCharsets.UTF_8))) {
      assertThat(output.lines().anyMatch(UP::equals)).isTrue();
      processes = java.descendants().toList();
    } finally {
      java.destroyForcibly();
    }

    // The helper, the worker and its child, at least.
    assertThat(processes).hasSizeGreaterThan(2);
    CompletableFuture.allOf(
            processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }
}
