package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.FakeApiServer.Request;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Disruption;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunnerPodsTest {
  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final RunnerPods pods = new RunnerPods(api.client(), clock);

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void aPodIsMadeOnce() {
    assertThat(pods.create(pod(null, null))).isPresent();
    Pod first = api.read(pod(null, null));
    assertThat(pods.create(pod(null, null))).isEmpty();
    assertThat(api.read(first)).isEqualTo(first);
  }

  @Test
  void aPodThatIsRefusedIsTold() {
    api.refuse("POST", "/pods", 403, "Forbidden", "exceeded quota");
    assertThatThrownBy(() -> pods.create(pod(null, null)))
        .isInstanceOfSatisfying(
            KubernetesClientException.class,
            e -> assertThat(ApiErrors.message(e)).isEqualTo("exceeded quota"));
  }

  @Test
  void aPodIsDeletedOnceAndGently() {
    Pod pod = api.put(pod(null, null));
    pods.delete(pod);
    pods.delete(pod);
    assertThat(deletions()).hasSize(1);
    assertThat(deletions().getFirst().body().path("gracePeriodSeconds").asInt()).isEqualTo(1);
  }

  @Test
  void aPodThatTookTheNameOfADeletedOneIsLeftAlone() {
    Pod pod = api.put(pod(null, null));
    Pod next = api.put(new PodBuilder(pod).editMetadata().withUid("next").endMetadata().build());
    pods.delete(pod);
    pods.forceDelete(pod);
    assertThat(api.find(next)).isPresent();
    assertThat(deletions())
        .allSatisfy(
            request ->
                assertThat(request.body().at("/preconditions/uid").asText())
                    .isEqualTo(Samples.POD_UID));
  }

  @Test
  void anotherPodOfTheSameNameIsDeletedToo() {
    pods.delete(api.put(pod(null, null)));
    Pod next = new PodBuilder(pod(null, null)).editMetadata().withUid("next").endMetadata().build();
    pods.delete(api.put(next));
    assertThat(deletions()).hasSize(2);
  }

  @Test
  void aPodThatIsGoneAlreadyNeedsNoDeletion() {
    assertThatCode(() -> pods.delete(pod(null, null))).doesNotThrowAnyException();
  }

  @Test
  void aDeletionThatFailedIsTriedAgain() {
    Pod pod = api.put(pod(null, null));
    AtomicBoolean failed = new AtomicBoolean();
    api.intercept(
        request ->
            request.is("DELETE", "/pods/") && failed.compareAndSet(false, true)
                ? Optional.of(FakeApiServer.failure(500, "InternalError", "etcd is away"))
                : Optional.empty());
    assertThatThrownBy(() -> pods.delete(pod)).isInstanceOf(KubernetesClientException.class);
    pods.delete(pod);
    assertThat(api.find(pod)).isEmpty();
  }

  @Test
  void aPodThatHasChangedSinceItWasReadIsNotDeletedAsUnchanged() {
    Pod pod = api.put(pod(null, null));
    Pod changed = api.put(pod);
    pods.deleteUnchanged(pod);
    assertThat(api.find(pod)).isPresent();
    pods.deleteUnchanged(changed);
    assertThat(api.find(pod)).isEmpty();
    pods.deleteUnchanged(changed);
    assertThat(deletions()).as("a cache may still show it").hasSize(2);
  }

  @Test
  void aPodOfALostNodeIsRemovedAtOnce() {
    Pod pod = api.put(pod(null, null));
    pods.forceDelete(pod);
    assertThat(deletions().getFirst().body().path("gracePeriodSeconds").asInt(-1)).isZero();
  }

  @Test
  void thePodsLifeIsCountedFromItsStart() {
    Pod pod = api.put(pod(1000L, Samples.CREATED));
    clock.advance(Duration.ofSeconds(20));
    pods.lowerDeadline(pod, Duration.ofSeconds(100));
    assertThat(deadline()).isEqualTo(121);
  }

  @Test
  void aPodWithoutADeadlineGetsOne() {
    Pod pod = api.put(pod(null, Samples.CREATED));
    pods.lowerDeadline(pod, Duration.ofSeconds(100));
    assertThat(deadline()).isEqualTo(101);
  }

  @Test
  void aDeadlineIsNeverRaised() {
    Pod pod = api.put(pod(50L, Samples.CREATED));
    pods.lowerDeadline(pod, Duration.ofSeconds(100));
    assertThat(deadline()).isEqualTo(50);
    assertThat(api.requests("PATCH", "/pods/")).isEmpty();
  }

  @Test
  void aDeadlineThatWouldHardlyBeLowerStays() {
    Pod pod = api.put(pod(1000L, Samples.CREATED));
    pods.lowerDeadline(pod, Duration.ofSeconds(899));
    assertThat(api.requests("PATCH", "/pods/")).isEmpty();
    pods.lowerDeadline(pod, Duration.ofSeconds(898));
    assertThat(deadline()).isEqualTo(899);
  }

  @Test
  void aPodThatHasNotStartedKeepsItsDeadline() {
    Pod pod = api.put(pod(1000L, null));
    pods.lowerDeadline(pod, Duration.ofSeconds(100));
    assertThat(api.requests("PATCH", "/pods/")).isEmpty();
  }

  @Test
  void aDeadlineThatCannotBeLoweredEndsNothing() {
    Pod pod = api.put(pod(1000L, Samples.CREATED));
    api.refuse("PATCH", "/pods/", 500, "InternalError", "etcd is away");
    assertThatCode(() -> pods.lowerDeadline(pod, Duration.ofSeconds(100)))
        .doesNotThrowAnyException();
    api.remove(pod);
    assertThatCode(() -> pods.lowerDeadline(pod, Duration.ofSeconds(100)))
        .doesNotThrowAnyException();
  }

  @Test
  void anAdoptedPodHasOwnerLabelLimitsAndDeadline() {
    Pod pod = api.put(Samples.warm(pod(5000L, Samples.CREATED)));
    clock.advance(Duration.ofSeconds(20));
    pods.adopt(pod, Samples.run(), Map.of("assay.dev/memory", "1Gi"), Duration.ofSeconds(100));

    Pod adopted = api.read(pod);
    assertThat(adopted.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(
            owner -> {
              assertThat(owner.getKind()).isEqualTo("AnalyticsRun");
              assertThat(owner.getUid()).isEqualTo(Samples.RUN_UID);
              assertThat(owner.getController()).isTrue();
            });
    assertThat(adopted.getMetadata().getLabels())
        .containsEntry(Labels.RUN_UID, Samples.RUN_UID)
        .containsKey(Labels.WARM_POOL);
    assertThat(adopted.getMetadata().getAnnotations())
        .containsEntry("assay.dev/memory", "1Gi")
        .containsAllEntriesOf(Disruption.FORBIDDEN.annotations());
    assertThat(api.requests("PATCH", "/pods/")).as("all of it in one request").hasSize(1);
    assertThat(adopted.getSpec().getActiveDeadlineSeconds()).isEqualTo(121);
  }

  @Test
  void anAdoptedPodWithALowerDeadlineKeepsIt() {
    Pod pod = api.put(Samples.warm(pod(101L, Samples.CREATED)));
    pods.adopt(pod, Samples.run(), Map.of(), Duration.ofSeconds(100));
    assertThat(api.read(pod).getSpec().getActiveDeadlineSeconds()).isEqualTo(101);
    assertThat(api.requests("PATCH", "/pods/").getFirst().body().findValuesAsText("path"))
        .as("Kubernetes rejects even a patch with the same or a higher value")
        .doesNotContain("/spec/activeDeadlineSeconds");
    assertThat(PodState.isAdopted(api.read(pod))).isTrue();
  }

  @Test
  void aPodOfAnotherOwnerIsNotAdopted() {
    Pod idle = Samples.warm(pod(5000L, Samples.CREATED));
    AnalyticsRun other = Samples.run();
    other.getMetadata().setUid("another-run");
    Pod adopted =
        api.put(
            new PodBuilder(idle)
                .editMetadata()
                .withOwnerReferences(Owners.controller(other))
                .endMetadata()
                .build());
    pods.adopt(idle, Samples.run(), Map.of(), Duration.ofSeconds(100));
    assertThat(api.read(adopted)).isEqualTo(adopted);
  }

  @Test
  void aPodOfTheSameNameIsNotAdopted() {
    Pod idle = Samples.warm(pod(5000L, Samples.CREATED));
    Pod next = api.put(new PodBuilder(idle).editMetadata().withUid("next").endMetadata().build());
    pods.adopt(idle, Samples.run(), Map.of(), Duration.ofSeconds(100));
    assertThat(api.read(next)).isEqualTo(next);
  }

  private @Nullable Long deadline() {
    return api.read(pod(null, null)).getSpec().getActiveDeadlineSeconds();
  }

  private List<Request> deletions() {
    return api.requests("DELETE", "/pods/");
  }

  private static Pod pod(@Nullable Long deadline, @Nullable String startTime) {
    return new PodBuilder(Samples.runningPod(7333))
        .editSpec()
        .withActiveDeadlineSeconds(deadline)
        .endSpec()
        .editStatus()
        .withStartTime(startTime)
        .endStatus()
        .build();
  }
}
