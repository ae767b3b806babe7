package dev.assay.local.kubelet;

import static dev.assay.local.kubelet.Pods.SUPERVISOR;
import static dev.assay.local.kubelet.Pods.WORKER;
import static dev.assay.local.kubelet.RunningKubelet.options;
import static dev.assay.local.kubelet.RunningKubelet.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.isolation.Isolation;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds of Pods however their containers are isolated. */
abstract class KubeletContract {
  private static final String WAIT = "import signal; print('up', flush=True); signal.pause()\n";
  private static final String LISTEN =
      """
      import os, socket
      listener = socket.create_server((os.environ["ASSAY_ADDRESS"], 7333))
      print("listening", flush=True)
      while True:
          connection, _ = listener.accept()
          connection.sendall(os.environ["ASSAY_POD_UID"].encode())
          connection.close()
      """;

  private final Isolation isolation;
  @TempDir private Path directory;
  private RunningKubelet kubelet;

  KubeletContract(Isolation isolation) {
    this.isolation = isolation;
  }

  @BeforeEach
  void start() throws IOException {
    kubelet = new RunningKubelet(isolation, directory);
  }

  @AfterEach
  void close() throws IOException {
    kubelet.close();
    try (Stream<Path> left = Files.list(kubelet.pods())) {
      assertThat(left).isEmpty();
    }
  }

  RunningKubelet kubelet() {
    return kubelet;
  }

  @Test
  void aPodWhoseContainersExitWithZeroSucceeds() throws IOException {
    Pod pod = kubelet.create(Pods.build("ok", Pods.worker("print('hello')")));

    Pod ended = kubelet.awaitEnd(pod);

    assertThat(ended.getSpec().getNodeName()).isEqualTo("local");
    assertThat(ended.getStatus().getPhase()).isEqualTo("Succeeded");
    ContainerStateTerminated terminated = terminated(ended, WORKER);
    assertThat(terminated.getReason()).isEqualTo("Completed");
    assertThat(terminated.getExitCode()).isZero();
    assertThat(terminated.getStartedAt()).isNotNull();
    assertThat(kubelet.wholeLog(pod, WORKER)).isEqualTo("hello\n");
  }

  @Test
  void anExitCodeIsTold() {
    Pod pod = kubelet.create(Pods.build("bad", Pods.worker("raise SystemExit(3)")));

    Pod ended = kubelet.awaitEnd(pod);

    assertThat(ended.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(terminated(ended, WORKER).getExitCode()).isEqualTo(3);
    assertThat(terminated(ended, WORKER).getReason()).isEqualTo("Error");
  }

  @Test
  void aProgramThatIsNotThereIsAStartError() throws IOException {
    Pod ended = kubelet.awaitEnd(kubelet.create(withoutProgram()));

    assertThat(terminated(ended, WORKER).getReason()).isEqualTo("StartError");
    assertThat(terminated(ended, WORKER).getMessage()).contains("/no/such/program");
  }

  static Pod withoutProgram() {
    return new PodBuilder(Pods.build("missing", Pods.worker("")))
        .editSpec()
        .editFirstContainer()
        .withCommand("/no/such/program")
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void aRunningPodIsReadyAndHasAnAddress() {
    Pod pod = kubelet.awaitRunning(kubelet.create(Pods.build("up", Pods.worker(WAIT))));

    assertThat(pod.getStatus().getPodIP()).startsWith("127.");
    assertThat(pod.getStatus().getStartTime()).isNotNull();
    assertThat(status(pod, WORKER).getState().getRunning().getStartedAt()).isNotNull();
    assertThat(pod.getStatus().getConditions()).allMatch(c -> c.getStatus().equals("True"));
  }

  @Test
  void twoPodsListenOnTheSamePort() throws IOException {
    for (Pod pod :
        List.of(
            kubelet.create(Pods.build("one", Pods.supervisor(LISTEN))),
            kubelet.create(Pods.build("two", Pods.supervisor(LISTEN))))) {
      Pod running = kubelet.awaitRunning(pod);
      kubelet.awaitLog(pod, SUPERVISOR, "listening");
      try (Socket socket = new Socket(running.getStatus().getPodIP(), Pods.PORT)) {
        assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo(pod.getMetadata().getUid());
      }
    }
  }

  @Test
  void containersShareAVolume() throws IOException {
    String directory = sharedDirectory();
    Pod pod =
        kubelet.create(
            Pods.build(
                "shared",
                Pods.worker(
                    """
                    import os, socket, time
                    link = socket.socket(socket.AF_UNIX)
                    while link.connect_ex(%1$s + "/launcher.sock"):
                        time.sleep(0.01)
                    link.sendall(b"hello")
                    """
                        .formatted(directory)),
                Pods.supervisor(
                    """
                    import os, socket
                    listener = socket.socket(socket.AF_UNIX)
                    mask = os.umask(0o111)
                    listener.bind(%1$s + "/launcher.sock")
                    listener.listen(1)
                    print(listener.accept()[0].recv(5).decode())
                    """
                        .formatted(directory))));

    assertThat(kubelet.awaitEnd(pod).getStatus().getPhase()).isEqualTo("Succeeded");
    assertThat(kubelet.wholeLog(pod, SUPERVISOR)).isEqualTo("hello\n");
  }

  /** As Python: where the directory that both containers have is. */
  abstract String sharedDirectory();

  @Test
  void deletionAsksPolitelyAndThenKills() throws IOException {
    Pod pod =
        kubelet.create(
            Pods.build(
                "stubborn",
                Pods.worker(
                    """
                    import os, signal
                    signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"asked\\n"))
                    print("up", flush=True)
                    while True:
                        signal.pause()
                    """)));
    kubelet.awaitLog(pod, WORKER, "up");
    try (InputStream log = kubelet.openLog(pod, options(WORKER, true, null, null))) {
      kubelet.client().resource(pod).withGracePeriod(1).delete();

      kubelet.awaitGone(pod);
      assertThat(new String(log.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("up\nasked\n");
    }
  }

  @Test
  void aPodThatIsDeletedByForceLeavesNothing() throws IOException {
    Pod pod = kubelet.create(Pods.build("forced", Pods.worker(WAIT)));
    kubelet.awaitLog(pod, WORKER, "up");
    try (InputStream log = kubelet.openLog(pod, options(WORKER, true, null, null))) {
      kubelet.client().resource(pod).withGracePeriod(0).delete();

      assertThat(new String(log.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("up\n");
    }
  }

  @Test
  void aProcessThatLeftItsSessionAndItsParentIsKilledToo() throws IOException {
    Pod pod =
        kubelet.create(
            Pods.build(
                "daemon",
                Pods.worker(
                    """
                    import os, time
                    if os.fork() == 0:
                        os.setsid()
                        if os.fork() == 0:
                            print("daemon", flush=True)
                            time.sleep(600)
                        os._exit(0)
                    os.wait()
                    time.sleep(600)
                    """)));
    kubelet.awaitLog(pod, WORKER, "daemon");
    try (InputStream log = kubelet.openLog(pod, options(WORKER, true, null, null))) {
      kubelet.client().resource(pod).withGracePeriod(1).delete();

      // The log ends when the last process that could write to it has.
      assertThat(new String(log.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("daemon\n");
    }
    kubelet.awaitGone(pod);
  }

  @Test
  void aDeadlineThatIsLoweredEndsThePod() throws IOException {
    Pod pod =
        new PodBuilder(Pods.build("late", Pods.worker(WAIT)))
            .editSpec()
            .withActiveDeadlineSeconds(3600L)
            .endSpec()
            .build();
    kubelet.create(pod);
    kubelet.awaitLog(pod, WORKER, "up");
    kubelet
        .client()
        .resource(pod)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"activeDeadlineSeconds\":1}}");

    Pod ended = kubelet.awaitEnd(pod);

    assertThat(ended.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(ended.getStatus().getReason()).isEqualTo("DeadlineExceeded");
  }

  @Test
  void aContainerThatUsesMoreThanItsMemoryIsKilledForThat() {
    Pod pod =
        kubelet.create(
            Pods.build(
                "greedy",
                Pods.withMemory(
                    Pods.worker("import signal; b = bytearray(200_000_000); signal.pause()"),
                    "100Mi")));

    Pod ended = kubelet.awaitEnd(pod);

    assertThat(terminated(ended, WORKER).getReason()).isEqualTo("OOMKilled");
    assertThat(terminated(ended, WORKER).getExitCode()).isEqualTo(137);
  }

  @Test
  void anUnknownImageIsWaitedFor() {
    Pod pod =
        new PodBuilder(Pods.build("unknown", Pods.worker(WAIT)))
            .editSpec()
            .editFirstContainer()
            .withImage("nowhere/none:1")
            .endContainer()
            .endSpec()
            .build();
    Pod waiting =
        kubelet.await(
            kubelet.create(pod), now -> !now.getStatus().getContainerStatuses().isEmpty());

    assertThat(waiting.getStatus().getPhase()).isEqualTo("Pending");
    assertThat(status(waiting, WORKER).getState().getWaiting().getReason())
        .isEqualTo("ErrImagePull");
    assertThat(status(waiting, WORKER).getState().getWaiting().getMessage())
        .contains("nowhere/none:1");
    assertThat(
            kubelet.client().v1().events().inNamespace(RunningKubelet.NAMESPACE).list().getItems())
        .anyMatch(event -> event.getMessage().contains("nowhere/none:1"));
    kubelet.client().resource(pod).delete();
    kubelet.awaitGone(pod);
  }

  @Test
  void aPodThatAsksForASecretIsRefused() {
    Pod pod =
        new PodBuilder(Pods.build("secret", Pods.worker(WAIT)))
            .editSpec()
            .addNewVolume()
            .withName("keys")
            .withNewSecret()
            .withSecretName("keys")
            .endSecret()
            .endVolume()
            .endSpec()
            .build();

    Pod ended = kubelet.awaitEnd(kubelet.create(pod));

    assertThat(ended.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(ended.getStatus().getMessage()).contains("volume keys");
  }

  @Test
  void aPartOfALogCanBeRead() throws IOException {
    Pod pod = kubelet.create(Pods.build("lines", Pods.worker("print('one\\ntwo\\nthree')")));
    kubelet.wholeLog(kubelet.awaitEnd(pod), WORKER);

    try (InputStream tail = kubelet.openLog(pod, options("", false, 2L, null));
        InputStream head = kubelet.openLog(pod, options(WORKER, false, null, 5L))) {
      assertThat(new String(tail.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("two\nthree\n");
      assertThat(new String(head.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("one\nt");
    }
  }

  static ContainerStateTerminated terminated(Pod pod, String container) {
    return status(pod, container).getState().getTerminated();
  }
}
