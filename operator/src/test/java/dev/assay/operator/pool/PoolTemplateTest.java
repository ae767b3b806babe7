package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoolTemplateTest {
  private static final RunClassSpec CLASS = Samples.classSpec(Purpose.Run);
  private static final Duration LIFE = Duration.ofMinutes(10);

  @Test
  void aPodIsThatOfARunWithoutDatasetsAndBelongsToItsClass() {
    PoolTemplate template = template(CLASS, "k-1=abc", LIFE);
    Pod pod = template.pod("warm-python-1", new PodUsers(100, 101));

    assertThat(pod.getMetadata().getName()).isEqualTo("warm-python-1");
    assertThat(pod.getMetadata().getOwnerReferences().getFirst().getKind()).isEqualTo("RunClass");
    assertThat(pod.getMetadata().getLabels())
        .containsEntry(Labels.WARM_POOL, template.hash())
        .containsKeys(Labels.RUNNER_POD, Labels.RUN_CLASS)
        .doesNotContainKey(Labels.RUN_UID);
    assertThat(pod.getSpec().getContainers().getFirst().getEnv())
        .contains(new EnvVar("ASSAY_WARM_UP", "true", null));
    assertThat(pod.getSpec().getActiveDeadlineSeconds())
        .isEqualTo(PoolTemplate.IDLE_LIFE.plus(LIFE).toSeconds());
    assertThat(pod.getMetadata().getAnnotations()).containsEntry("assay.dev/memory", "512Mi");
  }

  @Test
  void theHashIsThatOfAllButNameOwnerAndUsers() {
    RunClass other = Samples.runClass(CLASS);
    other.getMetadata().setUid("another-uid");
    PoolTemplate template = template(CLASS, "k-1=abc", LIFE);
    String hash = template.hash();

    assertThat(template(CLASS, "k-1=abc", LIFE).hash()).isEqualTo(hash).hasSize(32);
    assertThat(template(other, "k-1=abc", LIFE).hash()).isEqualTo(hash);
    assertThat(template.pod("warm-python-1", new PodUsers(100, 101)))
        .isNotEqualTo(template.pod("warm-python-2", new PodUsers(102, 103)))
        .extracting(PoolTemplate::hashOf)
        .isEqualTo(PoolTemplate.hashOf(template.pod("warm-python-2", new PodUsers(102, 103))))
        .isEqualTo(hash);
    assertThat(template(CLASS.withImage("other:1"), "k-1=abc", LIFE).hash()).isNotEqualTo(hash);
    assertThat(template(CLASS, "k-2=abc", LIFE).hash()).isNotEqualTo(hash);
    assertThat(template(CLASS, "k-1=abc", LIFE.plusSeconds(1)).hash()).isNotEqualTo(hash);
  }

  @Test
  void aPodThatIsRefusedElsewhereBelongsToAnotherTemplate() {
    EgressAddress address = new EgressAddress("192.0.2.1", 8787);
    PoolTemplate template = checked(Optional.of(address));
    assertThat(EgressAddress.textOf(template.pod("warm-python-1", new PodUsers(100, 101))))
        .contains(address.toString());
    assertThat(checked(Optional.of(new EgressAddress("192.0.2.2", 8787))).hash())
        .isNotEqualTo(template.hash())
        .isNotEqualTo(checked(Optional.empty()).hash());
  }

  private static PoolTemplate checked(Optional<EgressAddress> address) {
    return template(Samples.runClass(CLASS), "k-1=abc", address, LIFE);
  }

  private static PoolTemplate template(RunClassSpec spec, String keys, Duration life) {
    return template(Samples.runClass(spec), keys, life);
  }

  private static PoolTemplate template(RunClass runClass, String keys, Duration life) {
    return template(runClass, keys, Optional.empty(), life);
  }

  private static PoolTemplate template(
      RunClass runClass, String keys, Optional<EgressAddress> address, Duration life) {
    return new PoolTemplate(
        Samples.config().namespaces().getFirst(),
        runClass,
        Program.PYTHON,
        keys,
        address,
        new WarmPodLimits(
            life, Map.of("assay.dev/memory", runClass.getSpec().resources().memory())));
  }
}
