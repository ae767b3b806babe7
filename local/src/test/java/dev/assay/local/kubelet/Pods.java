package dev.assay.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.List;
import java.util.Map;

/** Pods of the shape that Assay's own have. */
final class Pods {
  static final String WORKER = "worker";
  static final String SUPERVISOR = "supervisor";
  static final int PORT = 7333;
  static final List<String> COMMAND = List.of("python3", "-I", "-c");

  private Pods() {}

  /** A container that runs a Python program and is not dialled. */
  static Container worker(String program) {
    return container(WORKER, program)
        .withWorkingDir("/scratch")
        .addToEnv(new EnvVarBuilder().withName("HOME").withValue("/scratch").build())
        .addToVolumeMounts(
            new VolumeMountBuilder().withName("scratch").withMountPath("/scratch").build(),
            new VolumeMountBuilder()
                .withName("shared")
                .withMountPath("/run/assay")
                .withReadOnly(true)
                .build())
        .build();
  }

  /** A container that runs a Python program and listens on the port that all of them have. */
  static Container supervisor(String program) {
    return container(SUPERVISOR, program)
        .addNewPort()
        .withName("runner")
        .withContainerPort(PORT)
        .endPort()
        .addToEnv(
            new EnvVarBuilder()
                .withName("ASSAY_POD_UID")
                .withNewValueFrom()
                .withNewFieldRef(null, "metadata.uid")
                .endValueFrom()
                .build())
        .addToVolumeMounts(
            new VolumeMountBuilder().withName("shared").withMountPath("/run/assay").build())
        .build();
  }

  private static ContainerBuilder container(String name, String program) {
    return new ContainerBuilder()
        .withName(name)
        .withImage(RunningKubelet.IMAGE)
        .withCommand(COMMAND)
        .withArgs(program);
  }

  static Container withMemory(Container container, String limit) {
    return new ContainerBuilder(container)
        .withNewResources()
        .withLimits(Map.of("memory", new Quantity(limit)))
        .endResources()
        .build();
  }

  static PodBuilder pod(String name, Container... containers) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(RunningKubelet.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .withTerminationGracePeriodSeconds(1L)
        .withContainers(containers)
        .addNewVolume()
        .withName("scratch")
        .withNewEmptyDir()
        .withMedium("Memory")
        .withSizeLimit(new Quantity("1Mi"))
        .endEmptyDir()
        .endVolume()
        .addNewVolume()
        .withName("shared")
        .withNewEmptyDir()
        .withMedium("Memory")
        .endEmptyDir()
        .endVolume()
        .endSpec();
  }

  static Pod build(String name, Container... containers) {
    return pod(name, containers).build();
  }
}
