package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

class PodChecksTest {
  private static final Pod GOOD = Pods.build("p", Pods.worker("pass"));

  @Test
  void aPodLikeAssaysIsTaken() {
    assertThat(PodChecks.refusal(Pods.build("p", Pods.worker("pass"), Pods.supervisor("pass"))))
        .isEmpty();
  }

  @Test
  void aPodThatIsRestartedIsRefused() {
    Pod pod = new PodBuilder(GOOD).editSpec().withRestartPolicy("Always").endSpec().build();

    assertThat(PodChecks.refusal(pod))
        .hasValueSatisfying(why -> assertThat(why).contains("restartPolicy"));
  }

  @Test
  void aVariableFromASecretIsRefused() {
    assertRefused(
        new ContainerBuilder(Pods.worker("pass"))
            .addNewEnv()
            .withName("TOKEN")
            .withNewValueFrom()
            .withNewSecretKeyRef("key", "name", false)
            .endValueFrom()
            .endEnv()
            .build(),
        "TOKEN");
  }

  @Test
  void aMountInsideAnotherIsRefused() {
    assertRefused(mounting("/scratch/inner"), "/scratch/inner");
  }

  @Test
  void aMountPathWithDotsIsRefused() {
    assertRefused(mounting("/data/../usr"), "/data/../usr");
  }

  @Test
  void aContainerWithoutACommandIsRefused() {
    assertRefused(
        new ContainerBuilder(Pods.worker("pass")).withCommand().build(), "container worker");
  }

  private static Container mounting(String path) {
    return new ContainerBuilder(Pods.worker("pass"))
        .addNewVolumeMount()
        .withName("shared")
        .withMountPath(path)
        .endVolumeMount()
        .build();
  }

  private static void assertRefused(Container container, String word) {
    assertThat(PodChecks.refusal(Pods.build("p", container)))
        .hasValueSatisfying(why -> assertThat(why).contains(word));
  }
}
