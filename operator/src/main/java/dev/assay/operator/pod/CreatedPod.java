package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a {@link RunnerPod} was created with, read back from it. */
public final class CreatedPod {
  private CreatedPod() {}

  /** The ids of the public keys that a Pod was created with. */
  public static List<String> keyIds(Pod pod) {
    return pairs(pod, RunnerPod.SUPERVISOR, RunnerPod.PUBLIC_KEYS)
        .map(entry -> entry.substring(0, Math.max(0, entry.indexOf('='))))
        .toList();
  }

  /** What a variable of a container lists. */
  private static Stream<String> pairs(Pod pod, String container, String variable) {
    return pod.getSpec().getContainers().stream()
        .filter(found -> found.getName().equals(container))
        .flatMap(found -> found.getEnv().stream())
        .filter(found -> found.getName().equals(variable))
        .flatMap(found -> Stream.of(found.getValue().split(",")));
  }

  /** The image that the worker of a Pod was created with. */
  public static Optional<String> workerImage(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(RunnerPod.WORKER))
        .map(Container::getImage)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** The datasets that a Pod was created with. */
  public static List<DatasetMount> datasetMounts(Pod pod) {
    Map<String, String> displayNames =
        pairs(pod, RunnerPod.WORKER, WorkerEnvironment.DISPLAY_NAMES)
            .map(pair -> pair.split("=", 2))
            .filter(pair -> pair.length == 2)
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (one, other) -> one));
    String untrusted =
        pod.getMetadata().getAnnotations().getOrDefault(RunnerPod.UNTRUSTED_DATASETS, "");
    Set<String> positions = Set.of(untrusted.split(","));
    List<VolumeMount> mounts =
        pod.getSpec().getContainers().stream()
            .filter(container -> container.getName().equals(RunnerPod.WORKER))
            .flatMap(container -> container.getVolumeMounts().stream())
            .filter(mount -> mount.getMountPath().startsWith(RunnerPod.DATASETS_DIR))
            .toList();
    return IntStream.range(0, mounts.size())
        .mapToObj(
            position -> {
              VolumeMount mount = mounts.get(position);
              String name = mount.getMountPath().substring(RunnerPod.DATASETS_DIR.length());
              return new DatasetMount(
                  name,
                  mount.getSubPath(),
                  displayNames.get(name),
                  positions.contains(Integer.toString(position)));
            })
        .toList();
  }
}
