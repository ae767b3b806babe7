package dev.assay.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Rejects Pods that need what local mode does not support. */
final class PodChecks {
  private static final Set<String> FIELDS =
      Set.of("metadata.name", "metadata.namespace", "metadata.uid", "status.podIP");

  private static final List<Function<Pod, Optional<String>>> CHECKS =
      List.of(
          PodChecks::restarts,
          PodChecks::initContainers,
          PodChecks::volumes,
          PodChecks::environment,
          PodChecks::mounts,
          PodChecks::commands);

  private PodChecks() {}

  /** Why a Pod cannot run; empty if it can. */
  static Optional<String> refusal(Pod pod) {
    return CHECKS.stream().flatMap(check -> check.apply(pod).stream()).findFirst();
  }

  private static Optional<String> restarts(Pod pod) {
    return "Never".equals(pod.getSpec().getRestartPolicy())
        ? Optional.empty()
        : Optional.of("local mode restarts no containers: set restartPolicy to Never");
  }

  private static Optional<String> initContainers(Pod pod) {
    return pod.getSpec().getInitContainers().isEmpty()
        ? Optional.empty()
        : Optional.of("local mode has no init containers");
  }

  private static Optional<String> volumes(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .filter(volume -> !isSupported(volume))
        .map(
            volume ->
                "volume %s: local mode has only emptyDir and persistentVolumeClaim"
                    .formatted(volume.getName()))
        .findFirst();
  }

  private static boolean isSupported(Volume volume) {
    return volume.getEmptyDir() != null || volume.getPersistentVolumeClaim() != null;
  }

  private static Optional<String> environment(Pod pod) {
    return containers(pod)
        .flatMap(
            container ->
                container.getEnvFrom().isEmpty()
                    ? container.getEnv().stream().filter(variable -> !isSupported(variable))
                    : Stream.of(new EnvVar("envFrom", null, null)))
        .map(
            variable ->
                "%s: local mode sets variables from values and from the fields %s only"
                    .formatted(variable.getName(), FIELDS.stream().sorted().toList()))
        .findFirst();
  }

  private static boolean isSupported(EnvVar variable) {
    return variable.getValueFrom() == null
        || (variable.getValueFrom().getFieldRef() != null
            && FIELDS.contains(variable.getValueFrom().getFieldRef().getFieldPath()));
  }

  /** One inside the other could be led elsewhere by a link that user code makes. */
  private static Optional<String> mounts(Pod pod) {
    Set<String> volumes =
        Set.copyOf(pod.getSpec().getVolumes().stream().map(Volume::getName).toList());
    return containers(pod)
        .flatMap(container -> mountProblem(container.getVolumeMounts(), volumes).stream())
        .findFirst();
  }

  private static Optional<String> mountProblem(List<VolumeMount> mounts, Set<String> volumes) {
    for (VolumeMount mount : mounts) {
      Path path = Path.of(mount.getMountPath());
      if (!path.isAbsolute() || !path.equals(path.normalize()) || path.getNameCount() == 0) {
        return Optional.of(
            "mountPath %s: must be absolute and plain".formatted(mount.getMountPath()));
      }
      if (!volumes.contains(mount.getName())) {
        return Optional.of("no volume is named %s".formatted(mount.getName()));
      }
      for (VolumeMount other : mounts) {
        if (!other.equals(mount) && Path.of(other.getMountPath()).startsWith(path)) {
          return Optional.of(
              "mountPath %s: local mode mounts nothing in another mount"
                  .formatted(other.getMountPath()));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> commands(Pod pod) {
    return containers(pod)
        .filter(container -> container.getCommand().isEmpty())
        .map(
            container ->
                "container %s: local mode has no images that name a program: set command"
                    .formatted(container.getName()))
        .findFirst();
  }

  private static Stream<Container> containers(Pod pod) {
    return pod.getSpec().getContainers().stream();
  }
}
