package dev.assay.operator.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.FakeApiServer;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaderAddressTest {
  private static final String NAMESPACE = "assay-system";
  private static final String SERVICE = "assay-operator";

  private final FakeApiServer api = new FakeApiServer();
  private final LeaderAddress leader =
      new LeaderAddress(
          api.client(), NAMESPACE, new EndpointConfig(8443, "audience", List.of(), SERVICE));

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void aFormerLeaderThatPublishesLateIsCorrected() {
    leader.publish("10.0.0.1");
    leader.restore("10.0.0.1");
    assertThat(api.requests("PUT", "/endpointslices")).as("nothing to correct").isEmpty();

    leader.publish("10.0.0.2");
    leader.restore("10.0.0.1");
    assertThat(address()).isEqualTo("10.0.0.1");
  }

  @Test
  void aSliceThatWasDeletedIsCreatedAgain() {
    leader.publish("10.0.0.1");
    api.remove(slice());
    leader.restore("10.0.0.1");
    assertThat(address()).isEqualTo("10.0.0.1");
  }

  private String address() {
    return slice().getEndpoints().getFirst().getAddresses().getFirst();
  }

  private EndpointSlice slice() {
    return api.client()
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(NAMESPACE)
        .withName(SERVICE)
        .require();
  }
}
