package dev.assay.local.kubelet;

import dev.assay.local.isolation.ContainerSpec;
import dev.assay.local.isolation.Mount;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Translates a container of a Pod to a process of this machine; pure. */
final class ContainerPlan {
  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final String PYTHON = "python3";
  private static final long NOBODY = 65532;

  private ContainerPlan() {}

  /**
   * The container.
   *
   * @param address of the Pod
   * @param mounts of its volumes
   * @param handedOver directories whose files other containers may hand over to it
   * @param ownDirectory for what the runtime makes for it
   */
  static ContainerSpec of(
      Pod pod,
      Container container,
      Images.Image image,
      String address,
      List<Mount> mounts,
      List<Path> handedOver,
      Path ownDirectory) {
    String directory = container.getWorkingDir();
    return new ContainerSpec(
        argv(container, image),
        environment(pod, container, image, address),
        directory == null || directory.isEmpty() ? "/" : directory,
        image.readOnlyPaths(),
        mounts,
        handedOver,
        serves(container, image),
        user(pod, container),
        memoryLimit(container),
        ownDirectory);
  }

  /** The memory limit in bytes; empty if there is none. */
  static OptionalLong memoryLimit(Container container) {
    if (container.getResources() == null || container.getResources().getLimits() == null) {
      return OptionalLong.empty();
    }
    Quantity limit = container.getResources().getLimits().get("memory");
    return limit == null
        ? OptionalLong.empty()
        : OptionalLong.of(limit.getNumericalAmount().longValue());
  }

  /**
   * Whether each mount of a volume can be a file system in memory of its own, of bounded size:
   * neither another container nor another mount would see it.
   */
  static boolean isPrivateMemory(Pod pod, Volume volume) {
    return volume.getEmptyDir() != null
        && "Memory".equals(volume.getEmptyDir().getMedium())
        && volume.getEmptyDir().getSizeLimit() != null
        && sharesNothing(pod, volume.getName());
  }

  private static boolean sharesNothing(Pod pod, String volume) {
    List<String> subPaths =
        pod.getSpec().getContainers().stream()
            .flatMap(container -> container.getVolumeMounts().stream())
            .filter(mount -> mount.getName().equals(volume))
            .map(mount -> mount.getSubPath() == null ? "" : mount.getSubPath())
            .toList();
    return subPaths.size() == 1
        || subPaths.stream()
            .allMatch(
                path ->
                    subPaths.stream().filter(other -> Path.of(other).startsWith(path)).count() == 1
                        && !path.isEmpty());
  }

  private static List<String> argv(Container container, Images.Image image) {
    List<String> argv = new ArrayList<>(container.getCommand());
    if (argv.getFirst().equals(PYTHON)) {
      argv.set(0, image.python().toString());
    }
    argv.addAll(container.getArgs());
    return argv;
  }

  /** Nothing is inherited from this machine's own environment. */
  private static Map<String, String> environment(
      Pod pod, Container container, Images.Image image, String address) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("PATH", PATH);
    environment.put("LANG", "C.UTF-8");
    environment.put("HOSTNAME", pod.getMetadata().getName());
    environment.putAll(image.environment());
    if (serves(container, image)) {
      // All Pods share the loopback device, and listen on the same port.
      environment.put("ASSAY_ADDRESS", address);
    }
    for (EnvVar variable : container.getEnv()) {
      environment.put(variable.getName(), value(pod, variable, address));
    }
    return environment;
  }

  private static String value(Pod pod, EnvVar variable, String address) {
    if (variable.getValueFrom() == null) {
      return variable.getValue() == null ? "" : variable.getValue();
    }
    String field = variable.getValueFrom().getFieldRef().getFieldPath();
    return switch (field) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      case "metadata.uid" -> pod.getMetadata().getUid();
      case "status.podIP" -> address;
      default -> throw new IllegalArgumentException(field);
    };
  }

  /** Containers have no network but for the image's own server: a port is easily declared. */
  private static boolean serves(Container container, Images.Image image) {
    return !container.getPorts().isEmpty() && container.getCommand().equals(image.server());
  }

  private static ContainerSpec.User user(Pod pod, Container container) {
    SecurityContext own = container.getSecurityContext();
    PodSecurityContext shared = pod.getSpec().getSecurityContext();
    Long uid =
        firstPresent(
            own == null ? null : own.getRunAsUser(), shared == null ? null : shared.getRunAsUser());
    Long gid =
        firstPresent(
            own == null ? null : own.getRunAsGroup(),
            shared == null ? null : shared.getRunAsGroup());
    Long group = shared == null ? null : shared.getFsGroup();
    return new ContainerSpec.User(
        uid == null || uid == 0 ? NOBODY : uid,
        gid == null || gid == 0 ? NOBODY : gid,
        group == null ? List.of() : List.of(group));
  }

  private static @Nullable Long firstPresent(@Nullable Long first, @Nullable Long second) {
    return first == null ? second : first;
  }
}
