package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.isolation.Isolation;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What holds besides where containers have namespaces of their own. */
abstract class IsolatedKubeletContract extends KubeletContract {
  IsolatedKubeletContract(Isolation isolation) {
    super(isolation);
  }

  @Override
  String sharedDirectory() {
    return "'/run/assay'";
  }

  @Test
  void aContainerSeesOnlyWhatIsItsOwn() throws IOException {
    Pod pod =
        kubelet()
            .create(
                Pods.build(
                    "alone",
                    Pods.worker(
                        """
                        import os, socket
                        print("pid", os.getpid())
                        print("root user", os.getuid() == 0)
                        print("processes", [d for d in os.listdir("/proc") if d.isdecimal()])
                        print("devices", [name for _, name in socket.if_nameindex()])
                        print("tmp", os.listdir("/tmp"))
                        print("home", os.path.exists("/home"), os.path.exists("/var"))
                        print("capabilities", [
                            line.split()[1] for line in open("/proc/self/status")
                            if line.startswith(("CapEff", "CapBnd", "NoNewPrivs"))])
                        for path in ("/new", "/usr/new", "/etc/new", "/run/assay/new"):
                            try:
                                open(path, "w")
                            except OSError as error:
                                print(path, type(error).__name__)
                        print("cwd", os.getcwd())
                        """)));

    assertThat(kubelet().wholeLog(pod, Pods.WORKER))
        .isEqualTo(
            """
            pid 1
            root user False
            processes ['1']
            devices ['lo']
            tmp []
            home False False
            capabilities ['0000000000000000', '0000000000000000', '1']
            /new OSError
            /usr/new OSError
            /etc/new OSError
            /run/assay/new OSError
            cwd /scratch
            """);
  }

  @Test
  void eachContainerHasASessionKeyringOfItsOwn() throws IOException {
    String program =
        """
        import ctypes, os
        number = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
        get_keyring_id, session_keyring, create = 0, -3, 1
        print(ctypes.CDLL(None).syscall(number, get_keyring_id, session_keyring, create))
        """;
    Pod one = kubelet().create(Pods.build("one", Pods.worker(program)));
    Pod other = kubelet().create(Pods.build("other", Pods.worker(program)));

    assertThat(kubelet().wholeLog(one, Pods.WORKER))
        .matches("[1-9]\\d*\n")
        .isNotEqualTo(kubelet().wholeLog(other, Pods.WORKER));
  }

  @Test
  void aContainerIsTheUserThatItsPodNames() throws IOException {
    Container container =
        new ContainerBuilder(
                Pods.worker("import os; print(os.getresuid(), os.getresgid(), os.environ['USER'])"))
            .addNewEnv()
            .withName("USER")
            .withValue("somebody")
            .endEnv()
            .withNewSecurityContext()
            .withRunAsUser(20_001L)
            .withRunAsGroup(20_002L)
            .endSecurityContext()
            .build();
    Pod pod = kubelet().create(Pods.build("user", container));

    assertThat(kubelet().wholeLog(pod, Pods.WORKER))
        .isEqualTo("(20001, 20001, 20001) (20002, 20002, 20002) somebody\n");
  }

  @Test
  void aScratchDirectoryInMemoryHasItsSize() throws IOException {
    Pod pod =
        kubelet()
            .create(
                Pods.build(
                    "full",
                    Pods.worker(
                        """
                        try:
                            with open("/scratch/big", "wb") as file:
                                file.write(bytes(2 * 1024 * 1024))
                        except OSError as error:
                            print(error.strerror)
                        """)));

    assertThat(kubelet().wholeLog(pod, Pods.WORKER)).isEqualTo("No space left on device\n");
  }

  @Test
  void aReadOnlyMountOfAClaimCannotBeWrittenTo() throws IOException {
    Files.createDirectories(kubelet().claimDirectory().resolve("snapshots/1"));
    Files.writeString(kubelet().claimDirectory().resolve("snapshots/1/data"), "42");
    Pod pod =
        new PodBuilder(
                Pods.build(
                    "reader",
                    Pods.worker(
                        """
                        print(open("/datasets/sales/data").read())
                        try:
                            open("/datasets/sales/data", "w")
                        except OSError as error:
                            print(error.strerror)
                        """)))
            .editSpec()
            .addNewVolume()
            .withName("snapshots")
            .withNewPersistentVolumeClaim(RunningKubelet.CLAIM, true)
            .endVolume()
            .editFirstContainer()
            .addToVolumeMounts(
                new VolumeMountBuilder()
                    .withName("snapshots")
                    .withMountPath("/datasets/sales")
                    .withSubPath("snapshots/1")
                    .withReadOnly(true)
                    .build())
            .endContainer()
            .endSpec()
            .build();

    assertThat(kubelet().wholeLog(kubelet().create(pod), Pods.WORKER))
        .isEqualTo("42\nRead-only file system\n");
  }

  @Test
  void aReadOnlyClaimIsNeverMountedWritableWhateverThePodSays() throws IOException {
    Files.createDirectories(kubelet().claimDirectory());
    Path table = Files.writeString(kubelet().claimDirectory().resolve("table.csv"), "42");
    // No permission of the files themselves is in the way.
    Files.setPosixFilePermissions(table, PosixFilePermissions.fromString("rw-rw-rw-"));
    Files.setPosixFilePermissions(
        kubelet().claimDirectory(), PosixFilePermissions.fromString("rwxrwxrwx"));
    Pod pod =
        withReadOnlyClaim(
            "writer",
            """
            for path, mode in (("/data/table.csv", "a"), ("/data/new", "w")):
                try:
                    open(path, mode)
                except OSError as error:
                    print(error.strerror)
            """,
            null);

    assertThat(kubelet().wholeLog(kubelet().create(pod), Pods.WORKER))
        .isEqualTo("Read-only file system\n".repeat(2));
    assertThat(kubelet().claimDirectory().resolve("table.csv")).hasContent("42");
  }

  @Test
  void nothingIsMadeInAReadOnlyClaim() throws IOException {
    Files.createDirectories(kubelet().claimDirectory());
    Pod ended = kubelet().awaitEnd(kubelet().create(withReadOnlyClaim("maker", "pass", "missing")));

    assertThat(ended.getStatus().getMessage()).contains("subPath missing", "read-only");
    assertThat(kubelet().claimDirectory()).isEmptyDirectory();
  }

  private static Pod withReadOnlyClaim(String name, String program, @Nullable String subPath) {
    return new PodBuilder(Pods.build(name, Pods.worker(program)))
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim(RunningKubelet.READ_ONLY_CLAIM, false)
        .endVolume()
        .editFirstContainer()
        .addNewVolumeMount()
        .withName("data")
        .withMountPath("/data")
        .withSubPath(subPath)
        .withReadOnly(false)
        .endVolumeMount()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void whatOneContainerWritesToAClaimAnotherUserOfThePodReads() throws IOException {
    Pod pod =
        new PodBuilder(
                Pods.build(
                    "snapshot",
                    snapshot("open('/snapshot/made', 'w').write('42')", Pods.WORKER, 65532, false),
                    snapshot(
                        """
                        import os, time
                        while not os.path.exists("/snapshot/made"):
                            time.sleep(0.01)
                        print(open("/snapshot/made").read())
                        """,
                        Pods.SUPERVISOR,
                        65531,
                        true)))
            .editSpec()
            .withNewSecurityContext()
            .withFsGroup(65532L)
            .endSecurityContext()
            .addNewVolume()
            .withName("snapshots")
            .withNewPersistentVolumeClaim(RunningKubelet.CLAIM, false)
            .endVolume()
            .endSpec()
            .build();

    assertThat(kubelet().awaitEnd(kubelet().create(pod)).getStatus().getPhase())
        .isEqualTo("Succeeded");
    assertThat(kubelet().claimDirectory().resolve("snapshots/2/made")).hasContent("42");
  }

  private static Container snapshot(String program, String name, long user, boolean readOnly) {
    return new ContainerBuilder(Pods.worker(program))
        .withName(name)
        .withNewSecurityContext()
        .withRunAsUser(user)
        .withRunAsGroup(user)
        .endSecurityContext()
        .addNewVolumeMount()
        .withName("snapshots")
        .withMountPath("/snapshot")
        .withSubPath("snapshots/2")
        .withReadOnly(readOnly)
        .endVolumeMount()
        .build();
  }
}
