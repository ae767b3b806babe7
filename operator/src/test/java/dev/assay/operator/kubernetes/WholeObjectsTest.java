package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WholeObjectsTest {
  private final FakeApiServer api = new FakeApiServer();
  private final WholeObjects wholes = new WholeObjects(api.client());
  private final AnalyticsRun run = api.put(Samples.run());

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void whatTheCachesLeaveOutIsRead() {
    AnalyticsRun cached =
        api.client()
            .resources(AnalyticsRun.class)
            .inNamespace(Samples.NAMESPACE)
            .withName("run-1")
            .require();
    assertThat(cached.getSpec().code()).isEmpty();
    assertThat(wholes.read(cached).orElseThrow().getSpec().code()).isEqualTo("print(1)");
  }

  @Test
  void whatDoesNotChangeIsReadAtLeastAsNewAsItIsKnown() {
    assertThat(wholes.readAtLeast(run).orElseThrow().getSpec().code()).isEqualTo("print(1)");
    assertThat(api.requests("GET", "/analyticsruns/run-1"))
        .extracting(FakeApiServer.Request::query)
        .containsExactly("resourceVersion=" + run.getMetadata().getResourceVersion());
  }

  @Test
  void theTextsOfANewRunAreThoseThatCameWithItOnce() {
    AnalyticsRun seen =
        api.client()
            .resources(AnalyticsRun.class)
            .inNamespace(Samples.NAMESPACE)
            .withName("run-1")
            .require();
    assertThat(wholes.withTexts(seen).orElseThrow().getSpec().code()).isEqualTo("print(1)");
    assertThat(api.requests("GET", "/analyticsruns/run-1")).as("only the first read").hasSize(1);
    assertThat(wholes.withTexts(seen).orElseThrow().getSpec().code()).isEqualTo("print(1)");
    assertThat(api.requests("GET", "/analyticsruns/run-1")).hasSize(2);
  }

  @Test
  void anObjectThatIsGoneIsEmpty() {
    api.remove(run);
    assertThat(wholes.read(run)).isEmpty();
    assertThat(wholes.readAtLeast(run)).isEmpty();
  }

  @Test
  void anotherObjectOfTheSameNameIsEmpty() {
    AnalyticsRun other = Samples.run();
    other.getMetadata().setUid("another-uid");
    api.put(other);
    assertThat(wholes.read(run)).isEmpty();
  }

  @Test
  void anApiServerThatRefusesIsNoAbsence() {
    api.refuse("GET", "/analyticsruns/", 403, "Forbidden", "no");
    assertThatThrownBy(() -> wholes.read(run)).isInstanceOf(KubernetesClientException.class);
  }
}
