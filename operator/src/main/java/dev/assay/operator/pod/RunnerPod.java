package dev.assay.operator.pod;

import static dev.assay.operator.pod.RestrictedPod.SNAPSHOTS;
import static dev.assay.operator.pod.RestrictedPod.annotations;
import static dev.assay.operator.pod.RestrictedPod.claim;
import static dev.assay.operator.pod.RestrictedPod.container;
import static dev.assay.operator.pod.RestrictedPod.labels;
import static dev.assay.operator.pod.RestrictedPod.mount;
import static dev.assay.operator.pod.RestrictedPod.quantities;
import static dev.assay.operator.pod.RestrictedPod.spec;

import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassScratch.Medium;
import dev.assay.operator.pod.RestrictedPod.SnapshotAccess;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pod.RunnerPodRequest.SnapshotWorker;
import dev.assay.operator.pod.RunnerPodRequest.SourceMount;
import dev.assay.operator.pod.RunnerPodRequest.Worker;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The Pod that serves one run or creates one snapshot, as a pure function of its request. Its
 * layout is specified in {@code images/protocol/README.md}.
 */
public final class RunnerPod {
  /** Name of the port that the supervisor listens on; the number is read from the Pod. */
  public static final String PORT_NAME = "runner";

  public static final String SUPERVISOR = "supervisor";
  public static final String WORKER = "worker";

  /** Name of the one volume that user code may write to, for its own and for temporary files. */
  static final String SCRATCH = "scratch";

  private static final int PORT = 7333;
  private static final String SOCKET_VOLUME = "launcher-socket";
  private static final String SOCKET_DIR = "/run/assay";
  private static final String SOURCE = "source";
  private static final String SCRATCH_DIR = "/scratch";
  private static final String TEMPORARY_DIR = "/tmp";
  private static final String WORKSPACE_DIR = "/workspace";
  private static final String DATASETS = "/datasets";
  static final String DATASETS_DIR = DATASETS + "/";
  private static final String SNAPSHOTS_DIR = "/snapshots";
  private static final String SNAPSHOT_DIR = "/snapshot";
  private static final String INPUTS = "inputs";
  private static final String INPUTS_DIR = "/inputs";

  /** What a file takes beyond its bytes: the rest of its last block, and its entry. */
  private static final long BYTES_PER_FILE = 8 * 1024;

  private static final long MEBIBYTE = 1024 * 1024;
  static final String PUBLIC_KEYS = "ASSAY_PUBLIC_KEYS";

  /**
   * The annotation with the positions of datasets that may contain content of tool servers, such as
   * {@code 0,3}. Names may be longer than the annotations that are kept of Pods that are read.
   */
  static final String UNTRUSTED_DATASETS = "assay.dev/untrusted-datasets";

  private RunnerPod() {}

  public static Pod build(RunnerPodRequest request) {
    RunClassSpec runClass = request.runClass();
    return new PodBuilder()
        .withNewMetadata()
        .withName(request.name())
        .withNamespace(request.namespace())
        .withLabels(labels(request.className(), runClass, request.identity()))
        .withAnnotations(sharedSocketAnnotations(runClass))
        // Makes `kubectl logs` show the supervisor, whose log has the output if it is mirrored.
        .addToAnnotations(annotations(runClass, SUPERVISOR, disruption(request.worker())))
        .addToAnnotations(untrustedDatasets(request.worker()))
        .withOwnerReferences(request.owner())
        .endMetadata()
        .withSpec(
            spec(runClass, snapshotAccess(request.worker()))
                .withActiveDeadlineSeconds(request.activeDeadlineSeconds())
                // The kubelet starts them in this order, and the worker takes longer to start.
                .withContainers(worker(request), supervisor(request))
                .withVolumes(volumes(request))
                .build())
        .build();
  }

  /** gVisor shares a volume among the containers of a Pod, with its sockets, if told so. */
  private static Map<String, String> sharedSocketAnnotations(RunClassSpec runClass) {
    if (runClass.runtimeClassName() == null) {
      return Map.of();
    }
    String volume = "dev.gvisor.spec.mount." + SOCKET_VOLUME;
    return Map.of(volume + ".share", "pod", volume + ".type", "tmpfs", volume + ".options", "rw");
  }

  private static Map<String, String> untrustedDatasets(Worker worker) {
    List<DatasetMount> datasets = worker instanceof RunWorker run ? run.datasets() : List.of();
    String positions =
        IntStream.range(0, datasets.size())
            .filter(position -> datasets.get(position).untrusted())
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","));
    return positions.isEmpty() ? Map.of() : Map.of(UNTRUSTED_DATASETS, positions);
  }

  /** A Pod that waits for its run may be evicted until it has it. */
  private static Disruption disruption(Worker worker) {
    return worker instanceof RunWorker run && run.warmUp()
        ? Disruption.ALLOWED
        : Disruption.FORBIDDEN;
  }

  private static SnapshotAccess snapshotAccess(Worker worker) {
    return switch (worker) {
      case RunWorker run -> run.readsSnapshots() ? SnapshotAccess.READ : SnapshotAccess.NONE;
      case SnapshotWorker snapshot -> SnapshotAccess.WRITE;
    };
  }

  private static Container supervisor(RunnerPodRequest request) {
    List<EnvVar> environment = new ArrayList<>();
    environment.add(fromField("ASSAY_POD_UID", "metadata.uid"));
    environment.add(fromField("ASSAY_POD_NAMESPACE", "metadata.namespace"));
    environment.add(env(PUBLIC_KEYS, request.publicKeys()));
    environment.add(env("ASSAY_PORT", Integer.toString(PORT)));
    environment.add(
        env("ASSAY_SPOOL_LIMIT_BYTES", Integer.toString(request.runClass().output().limitBytes())));
    if (request.runClass().mirrorsLogs()) {
      environment.add(env("ASSAY_MIRROR_OUTPUT", "true"));
    }
    List<VolumeMount> mounts = new ArrayList<>();
    mounts.add(mount(SOCKET_VOLUME, SOCKET_DIR, false, null));
    if (request.worker() instanceof RunWorker run && run.program() != Program.PYTHON) {
      environment.add(env("ASSAY_WORKER", run.program().launcherName()));
    }
    if (request.worker() instanceof RunWorker run && !run.inputs().isEmpty()) {
      environment.add(env("ASSAY_INPUTS_LIMIT_BYTES", Long.toString(Math.max(1, sum(run)))));
      mounts.add(mount(INPUTS, INPUTS_DIR, false, null));
    }
    if (request.worker() instanceof RunWorker run && run.anyDataset()) {
      environment.add(env("ASSAY_SNAPSHOTS_DIR", SNAPSHOTS_DIR));
      mounts.add(mount(SNAPSHOTS, SNAPSHOTS_DIR, true, null));
    }
    if (request.worker() instanceof SnapshotWorker snapshot) {
      environment.add(env("ASSAY_SNAPSHOT_DIR", SNAPSHOT_DIR));
      Long uploadBytes = snapshot.uploadBytes();
      mounts.add(mount(SNAPSHOTS, SNAPSHOT_DIR, uploadBytes == null, snapshot.snapshotPath()));
      if (uploadBytes != null) {
        environment.add(env("ASSAY_UPLOAD_LIMIT_BYTES", Long.toString(Math.max(1, uploadBytes))));
      }
    }
    return container(SUPERVISOR, request.users().supervisor(), request.runClass())
        .withCommand("python3", "-I", "-m", "assay_runner.supervisor")
        .withEnv(environment)
        .addNewPort()
        .withName(PORT_NAME)
        .withContainerPort(PORT)
        .withProtocol("TCP")
        .endPort()
        .withNewResources()
        .withRequests(quantities("50m", supervisorMemory(request)))
        .withLimits(quantities("1", supervisorMemory(request)))
        .endResources()
        .withVolumeMounts(mounts)
        .build();
  }

  /** The interpreter and the output that it holds, which the class limits. */
  private static String supervisorMemory(RunnerPodRequest request) {
    long output = request.runClass().output().limitBytes();
    return (96 + 2 * output / (1024 * 1024)) + "Mi";
  }

  private static Container worker(RunnerPodRequest request) {
    List<String> command = new ArrayList<>(List.of("python3", "-I", "-m", "assay_runner.launcher"));
    List<VolumeMount> mounts = new ArrayList<>();
    mounts.add(mount(SOCKET_VOLUME, SOCKET_DIR, true, null));
    // All count towards the limit of the one volume.
    mounts.add(mount(SCRATCH, SCRATCH_DIR, false, "work"));
    mounts.add(mount(SCRATCH, TEMPORARY_DIR, false, "tmp"));
    String workingDirectory = SCRATCH_DIR;
    switch (request.worker()) {
      case RunWorker run -> {
        workingDirectory = WORKSPACE_DIR;
        mounts.add(mount(SCRATCH, WORKSPACE_DIR, false, "workspace"));
        command.add(run.program().launcherName());
        for (DatasetMount dataset : run.datasets()) {
          command.add("--dataset");
          command.add(dataset.dataset());
          mounts.add(mount(SNAPSHOTS, DATASETS_DIR + dataset.dataset(), true, dataset.path()));
        }
        if (run.anyDataset()) {
          // For links to files that the supervisor opens.
          mounts.add(mount(SCRATCH, DATASETS, false, "datasets"));
        }
        if (!run.inputs().isEmpty()) {
          mounts.add(mount(INPUTS, INPUTS_DIR, true, null));
        }
      }
      case SnapshotWorker snapshot -> {
        command.add("snapshot");
        mounts.add(mount(SNAPSHOTS, SNAPSHOT_DIR, false, snapshot.snapshotPath()));
        if (snapshot.source() != null) {
          mounts.add(mount(SOURCE, "/source", true, emptyToNull(snapshot.source().subPath())));
        }
      }
    }
    RunClassSpec.ClassResources resources = request.runClass().resources();
    String cpuRequest = resources.cpuRequest() == null ? resources.cpu() : resources.cpuRequest();
    return container(WORKER, request.users().worker(), request.runClass())
        .withCommand(command)
        .withEnv(WorkerEnvironment.of(request, SCRATCH_DIR, TEMPORARY_DIR))
        .withWorkingDir(workingDirectory)
        .withNewResources()
        .withRequests(quantities(cpuRequest, resources.memory()))
        .withLimits(quantities(resources.cpu(), resources.memory()))
        .endResources()
        .withVolumeMounts(mounts)
        .build();
  }

  private static List<Volume> volumes(RunnerPodRequest request) {
    List<Volume> volumes = new ArrayList<>();
    volumes.add(emptyDir(SOCKET_VOLUME, "Memory", "1Mi"));
    RunClassSpec.ClassScratch scratch = request.runClass().scratch();
    volumes.add(
        emptyDir(SCRATCH, scratch.medium() == Medium.Disk ? "" : "Memory", scratch.sizeLimit()));
    switch (request.worker()) {
      case RunWorker run -> {
        if (run.readsSnapshots()) {
          volumes.add(claim(SNAPSHOTS, request.snapshotClaim(), true));
        }
        if (!run.inputs().isEmpty()) {
          volumes.add(emptyDir(INPUTS, "", inputsSize(run)));
        }
      }
      case SnapshotWorker snapshot -> {
        volumes.add(claim(SNAPSHOTS, request.snapshotClaim(), false));
        SourceMount source = snapshot.source();
        if (source != null) {
          volumes.add(claim(SOURCE, source.claim(), true));
        }
      }
    }
    return volumes;
  }

  private static long sum(RunWorker run) {
    return run.inputs().stream().mapToLong(Long::longValue).sum();
  }

  /** Whole mebibytes; at least one. */
  private static String inputsSize(RunWorker run) {
    return (sum(run) + BYTES_PER_FILE * run.inputs().size()) / MEBIBYTE + 1 + "Mi";
  }

  private static Volume emptyDir(String name, String medium, String sizeLimit) {
    return new VolumeBuilder()
        .withName(name)
        .withNewEmptyDir()
        .withMedium(medium)
        .withSizeLimit(new Quantity(sizeLimit))
        .endEmptyDir()
        .build();
  }

  private static EnvVar env(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(value).build();
  }

  private static EnvVar fromField(String name, String path) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewFieldRef(null, path)
        .endValueFrom()
        .build();
  }

  private static @Nullable String emptyToNull(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }
}
