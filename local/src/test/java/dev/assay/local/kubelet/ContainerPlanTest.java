package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.isolation.ContainerSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerPlanTest {
  private static final Images.Image IMAGE =
      new Images.Image(
          Path.of("/opt/python/bin/python3"),
          List.of(Path.of("/opt/python")),
          Pods.COMMAND,
          Map.of("FROM_IMAGE", "1"));

  @Test
  void theImagesPythonIsTheOneOfThisMachine() {
    assertThat(plan(Pods.worker("pass")).argv())
        .containsExactly("/opt/python/bin/python3", "-I", "-c", "pass");
  }

  @Test
  void variablesComeFromValuesAndFields() {
    assertThat(plan(Pods.supervisor("pass")).environment())
        .containsEntry("ASSAY_POD_UID", "uid-1")
        .containsEntry("HOSTNAME", "p")
        .containsEntry("FROM_IMAGE", "1")
        .doesNotContainKey("HOME");
  }

  @Test
  void onlyAContainerWithPortsHasTheNetworkAndAnAddress() {
    assertThat(plan(Pods.supervisor("pass")).network()).isTrue();
    assertThat(plan(Pods.supervisor("pass")).environment())
        .containsEntry("ASSAY_ADDRESS", "127.64.0.1");
    assertThat(plan(Pods.worker("pass")).network()).isFalse();
    assertThat(plan(Pods.worker("pass")).environment()).doesNotContainKey("ASSAY_ADDRESS");
  }

  @Test
  void aDeclaredPortAloneGivesNoNetwork() {
    Container container =
        new ContainerBuilder(Pods.supervisor("pass"))
            .withCommand("python3", "-I", "/scratch/code.py")
            .build();

    assertThat(plan(container).network()).isFalse();
    assertThat(plan(container).environment()).doesNotContainKey("ASSAY_ADDRESS");
  }

  @Test
  void aContainerIsNeverRoot() {
    Container container =
        new ContainerBuilder(Pods.worker("pass"))
            .withNewSecurityContext()
            .withRunAsUser(0L)
            .withRunAsGroup(7L)
            .endSecurityContext()
            .build();

    assertThat(plan(container).user()).isEqualTo(new ContainerSpec.User(65532, 7, List.of()));
  }

  @Test
  void aContainerThatNamesNoUserIsThatOfItsPod() {
    Pod pod =
        new PodBuilder(Pods.build("p", Pods.worker("pass")))
            .editSpec()
            .withNewSecurityContext()
            .withRunAsUser(20_001L)
            .withRunAsGroup(20_002L)
            .withFsGroup(7L)
            .endSecurityContext()
            .endSpec()
            .build();
    Container own =
        new ContainerBuilder(Pods.worker("pass"))
            .withNewSecurityContext()
            .withRunAsUser(20_003L)
            .endSecurityContext()
            .build();

    assertThat(plan(pod, Pods.worker("pass")).user())
        .isEqualTo(new ContainerSpec.User(20_001, 20_002, List.of(7L)));
    assertThat(plan(pod, own).user())
        .isEqualTo(new ContainerSpec.User(20_003, 20_002, List.of(7L)));
  }

  @Test
  void memoryIsLimitedInBytes() {
    assertThat(ContainerPlan.memoryLimit(Pods.withMemory(Pods.worker("pass"), "96Mi")))
        .hasValue(96L * 1024 * 1024);
    assertThat(ContainerPlan.memoryLimit(Pods.worker("pass"))).isEmpty();
  }

  @Test
  void onlyAVolumeOfOneContainerCanBeOfItsOwnMemory() {
    Pod pod = Pods.build("p", Pods.worker("pass"), Pods.supervisor("pass"));

    assertThat(
            pod.getSpec().getVolumes().stream()
                .filter(volume -> ContainerPlan.isPrivateMemory(pod, volume))
                .map(volume -> volume.getName()))
        .containsExactly("scratch");
  }

  @ParameterizedTest
  @CsvSource({"work, tmp, true", "work, work, false", "work, work/inner, false", "work, , false"})
  void mountsOfAVolumeInMemoryAreSeparateWhereTheyShareNothing(
      String first, @Nullable String second, boolean separate) {
    Container container =
        new ContainerBuilder(Pods.worker("pass"))
            .withVolumeMounts(mount("/scratch", first), mount("/tmp", second))
            .build();
    Pod pod = Pods.build("p", container);
    assertThat(
            pod.getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals("scratch"))
                .map(volume -> ContainerPlan.isPrivateMemory(pod, volume)))
        .containsExactly(separate);
  }

  private static VolumeMount mount(String path, @Nullable String subPath) {
    return new VolumeMountBuilder()
        .withName("scratch")
        .withMountPath(path)
        .withSubPath(subPath)
        .build();
  }

  private static ContainerSpec plan(Container container) {
    Pod pod =
        new PodBuilder(Pods.build("p", container))
            .editMetadata()
            .withUid("uid-1")
            .endMetadata()
            .build();
    return plan(pod, container);
  }

  private static ContainerSpec plan(Pod pod, Container container) {
    return ContainerPlan.of(
        pod, container, IMAGE, "127.64.0.1", List.of(), List.of(), Path.of("/own"));
  }
}
