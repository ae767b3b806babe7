package dev.assay.operator.pod;

import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassScratch.Medium;
import dev.assay.operator.pod.RunnerPodRequest.PythonWorker;
import dev.assay.operator.pod.RunnerPodRequest.SnapshotWorker;
import dev.assay.operator.pod.RunnerPodRequest.SourceMount;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Pod that serves one run or makes one snapshot, as a pure function of what is asked for. Its
 * layout is the one of {@code images/protocol/README.md}.
 */
public final class RunnerPod {
  /** Name of the port that the supervisor listens on; the number is read from the Pod. */
  public static final String PORT_NAME = "runner";

  public static final String SUPERVISOR = "supervisor";
  public static final String WORKER = "worker";

  /** Name of the volume that user code may write to. */
  static final String SCRATCH = "scratch";

  private static final int PORT = 7333;
  private static final long SUPERVISOR_USER = 65531L;
  private static final long WORKER_USER = 65532L;
  private static final int UNREACHABLE_SECONDS = 30;
  private static final String SOCKET_VOLUME = "launcher-socket";
  private static final String SOCKET_DIR = "/run/assay";
  private static final String SNAPSHOTS = "snapshots";
  private static final String SOURCE = "source";
  private static final String DATASETS_DIR = "/datasets/";
  private static final String SNAPSHOT_DIR = "/snapshot";

  /**
   * Kubernetes mounts a file of the node's disk here, writable by everybody and of no bounded size.
   * In the image only root may enter the directory, and nobody in the Pod is root.
   */
  private static final String TERMINATION_MESSAGE = "/root/termination-message";

  private static final String PUBLIC_KEYS = "ASSAY_PUBLIC_KEYS";

  private RunnerPod() {}

  public static Pod build(RunnerPodRequest request) {
    RunClassSpec runClass = request.runClass();
    return new PodBuilder()
        .withNewMetadata()
        .withName(request.name())
        .withNamespace(request.namespace())
        .withLabels(labels(request))
        .withAnnotations(annotations(runClass))
        .withOwnerReferences(request.owner())
        .endMetadata()
        .withSpec(
            new PodSpecBuilder()
                .withRestartPolicy("Never")
                .withActiveDeadlineSeconds(request.activeDeadlineSeconds())
                .withTerminationGracePeriodSeconds(1L)
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                // No name is ever looked up in a run Pod, and nothing would answer.
                .withDnsPolicy("None")
                .withNewDnsConfig()
                .withNameservers("127.0.0.1")
                .endDnsConfig()
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .withFsGroup(request.worker() instanceof SnapshotWorker ? WORKER_USER : null)
                .withFsGroupChangePolicy(
                    request.worker() instanceof SnapshotWorker ? "OnRootMismatch" : null)
                .endSecurityContext()
                .withRuntimeClassName(runClass.runtimeClassName())
                .withPriorityClassName(runClass.priorityClassName())
                .withNodeSelector(runClass.nodeSelector())
                .withTolerations(tolerations(runClass))
                .withImagePullSecrets(pullSecrets(runClass))
                // The kubelet starts them in this order, and the worker has the longer way to go.
                .withContainers(worker(request), supervisor(request))
                .withVolumes(volumes(request))
                .build())
        .build();
  }

  /** The ids of the public keys that a Pod was made with. */
  public static List<String> keyIds(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(SUPERVISOR))
        .flatMap(container -> container.getEnv().stream())
        .filter(variable -> variable.getName().equals(PUBLIC_KEYS))
        .flatMap(variable -> Stream.of(variable.getValue().split(",")))
        .map(entry -> entry.substring(0, Math.max(0, entry.indexOf('='))))
        .toList();
  }

  /** The datasets that a Pod was made with. */
  public static List<DatasetMount> datasetMounts(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(WORKER))
        .flatMap(container -> container.getVolumeMounts().stream())
        .filter(mount -> mount.getMountPath().startsWith(DATASETS_DIR))
        .map(
            mount ->
                new DatasetMount(
                    mount.getMountPath().substring(DATASETS_DIR.length()), mount.getSubPath()))
        .toList();
  }

  private static Map<String, String> labels(RunnerPodRequest request) {
    Map<String, String> labels = new HashMap<>();
    if (request.runClass().podLabels() != null) {
      labels.putAll(request.runClass().podLabels());
    }
    labels.putAll(Labels.MANAGED);
    labels.putAll(request.identity());
    labels.put(Labels.RUNNER_POD, "true");
    labels.put(Labels.RUN_CLASS, request.className());
    return labels;
  }

  /** Output is in the supervisor's log, if anywhere: that is what {@code kubectl logs} shows. */
  private static Map<String, String> annotations(RunClassSpec runClass) {
    Map<String, String> annotations = new HashMap<>();
    annotations.put("kubectl.kubernetes.io/default-container", SUPERVISOR);
    if (runClass.podAnnotations() != null) {
      annotations.putAll(runClass.podAnnotations());
    }
    return annotations;
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
    if (request.worker() instanceof SnapshotWorker snapshot) {
      environment.add(env("ASSAY_SNAPSHOT_DIR", SNAPSHOT_DIR));
      Long uploadBytes = snapshot.uploadBytes();
      mounts.add(mount(SNAPSHOTS, SNAPSHOT_DIR, uploadBytes == null, snapshot.snapshotPath()));
      if (uploadBytes != null) {
        environment.add(env("ASSAY_UPLOAD_LIMIT_BYTES", Long.toString(Math.max(1, uploadBytes))));
      }
    }
    return runnerContainer(SUPERVISOR, SUPERVISOR_USER, request)
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

  /** The interpreter and what it holds of the output, which is bounded by the class. */
  private static String supervisorMemory(RunnerPodRequest request) {
    long output = request.runClass().output().limitBytes();
    return (96 + 2 * output / (1024 * 1024)) + "Mi";
  }

  private static Container worker(RunnerPodRequest request) {
    List<String> command = new ArrayList<>(List.of("python3", "-I", "-m", "assay_runner.launcher"));
    List<VolumeMount> mounts = new ArrayList<>();
    mounts.add(mount(SOCKET_VOLUME, SOCKET_DIR, true, null));
    mounts.add(mount(SCRATCH, "/scratch", false, null));
    switch (request.worker()) {
      case PythonWorker python -> {
        command.add("python");
        for (DatasetMount dataset : python.datasets()) {
          command.add("--dataset");
          command.add(dataset.dataset());
          mounts.add(mount(SNAPSHOTS, DATASETS_DIR + dataset.dataset(), true, dataset.path()));
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
    return runnerContainer(WORKER, WORKER_USER, request)
        .withCommand(command)
        .withEnv(env("HOME", "/scratch"), env("TMPDIR", "/scratch"))
        .withWorkingDir("/scratch")
        .withNewResources()
        .withRequests(quantities(cpuRequest, resources.memory()))
        .withLimits(quantities(resources.cpu(), resources.memory()))
        .endResources()
        .withVolumeMounts(mounts)
        .build();
  }

  private static ContainerBuilder runnerContainer(
      String name, long user, RunnerPodRequest request) {
    return new ContainerBuilder()
        .withName(name)
        .withImage(request.runClass().image())
        .withImagePullPolicy(
            request.runClass().imagePullPolicy() == null
                ? null
                : request.runClass().imagePullPolicy().name())
        .withTerminationMessagePath(TERMINATION_MESSAGE)
        .withSecurityContext(securityContext(user));
  }

  private static SecurityContext securityContext(long user) {
    return new SecurityContextBuilder()
        .withRunAsNonRoot(true)
        .withRunAsUser(user)
        .withRunAsGroup(user)
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .build();
  }

  private static List<Volume> volumes(RunnerPodRequest request) {
    List<Volume> volumes = new ArrayList<>();
    volumes.add(
        new VolumeBuilder()
            .withName(SOCKET_VOLUME)
            .withNewEmptyDir()
            .withMedium("Memory")
            .withSizeLimit(new Quantity("1Mi"))
            .endEmptyDir()
            .build());
    RunClassSpec.ClassScratch scratch = request.runClass().scratch();
    volumes.add(
        new VolumeBuilder()
            .withName(SCRATCH)
            .withNewEmptyDir()
            .withMedium(scratch.medium() == Medium.Disk ? "" : "Memory")
            .withSizeLimit(new Quantity(scratch.sizeLimit()))
            .endEmptyDir()
            .build());
    switch (request.worker()) {
      case PythonWorker python -> {
        if (!python.datasets().isEmpty()) {
          volumes.add(claim(SNAPSHOTS, request.snapshotClaim(), true));
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

  private static Volume claim(String name, String claim, boolean readOnly) {
    return new VolumeBuilder().withName(name).withNewPersistentVolumeClaim(claim, readOnly).build();
  }

  private static VolumeMount mount(
      String volume, String path, boolean readOnly, @Nullable String subPath) {
    return new VolumeMountBuilder()
        .withName(volume)
        .withMountPath(path)
        .withReadOnly(readOnly)
        .withSubPath(subPath)
        .build();
  }

  private static List<Toleration> tolerations(RunClassSpec runClass) {
    List<Toleration> tolerations = new ArrayList<>();
    if (runClass.tolerations() != null) {
      tolerations.addAll(runClass.tolerations());
    }
    for (String taint : List.of("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")) {
      tolerations.add(
          new TolerationBuilder()
              .withKey(taint)
              .withOperator("Exists")
              .withEffect("NoExecute")
              .withTolerationSeconds((long) UNREACHABLE_SECONDS)
              .build());
    }
    return tolerations;
  }

  private static List<LocalObjectReference> pullSecrets(RunClassSpec runClass) {
    return runClass.imagePullSecrets() == null
        ? List.of()
        : runClass.imagePullSecrets().stream().map(LocalObjectReference::new).toList();
  }

  private static Map<String, Quantity> quantities(String cpu, String memory) {
    return Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory));
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
