package dev.assay.operator.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.EgressCheck;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.pod.EgressAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EgressTargetTest {
  private static final RunClassSpec DISABLED = Samples.classSpec(Purpose.Run);
  private static final RunClassSpec REQUIRED = DISABLED.withEgressCheck(EgressCheck.Required);
  private static final RunClassSpec SILENT = DISABLED.withEgressCheck(null);

  private List<String> known = List.of("192.0.2.1");
  private final EgressTarget target =
      new EgressTarget(
          new EgressCheckConfig("assay.assay-system.svc", 8787),
          host -> {
            assertThat(host).isEqualTo("assay.assay-system.svc");
            if (known.isEmpty()) {
              throw new UnknownHostException(host);
            }
            return known;
          });

  @AfterEach
  void stop() {
    target.close();
  }

  @Test
  void aClassThatSaysNothingRequiresTheCheck() {
    target.resolve();
    assertThat(target.of(REQUIRED)).contains(new EgressAddress("192.0.2.1", 8787));
    assertThat(target.of(SILENT)).contains(new EgressAddress("192.0.2.1", 8787));
    assertThat(target.missing(SILENT)).isEmpty();
  }

  @Test
  void aClassThatSwitchesItOffAndOneOfSnapshotsNeedNoAddress() {
    assertThat(target.of(DISABLED)).isEmpty();
    assertThat(target.missing(DISABLED)).isEmpty();
    assertThat(target.of(Samples.classSpec(Purpose.Snapshot))).isEmpty();
  }

  @Test
  void noPodIsCreatedBeforeTheNameWasResolved() {
    known = List.of();
    target.resolve();
    assertThat(target.missing(REQUIRED).orElseThrow())
        .isEqualTo(
            "The operator cannot resolve assay.assay-system.svc yet, which egressCheck needs");
    assertThatThrownBy(() -> target.of(REQUIRED)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anotherAddressOfTheServiceIsFoundAndAnOutageOfDnsChangesNothing() {
    target.resolve();
    known = List.of("192.0.2.2");
    target.resolve();
    known = List.of();
    target.resolve();
    assertThat(target.of(REQUIRED)).contains(new EgressAddress("192.0.2.2", 8787));
  }

  @Test
  void thePodsOfTheLastAddressesAreKnownAndNoOthers() {
    assertThat(target.resolved("192.0.2.1:8787")).isEmpty();
    for (int last = 1; last <= 9; last++) {
      known = List.of("192.0.2." + last);
      target.resolve();
    }
    for (int last = 2; last <= 9; last++) {
      assertThat(target.resolved("192.0.2." + last + ":8787"))
          .contains(new EgressAddress("192.0.2." + last, 8787));
    }
    assertThat(List.of("192.0.2.1:8787", "192.0.2.9:22", "192.0.2.9", "", ":"))
        .allMatch(text -> target.resolved(text).isEmpty());
  }

  @Test
  void ofSeveralAddressesOneIsUsedWhileTheNameHasIt() {
    for (List<String> order :
        List.of(
            List.of("192.0.2.1", "192.0.2.2"),
            List.of("192.0.2.2", "192.0.2.1"),
            List.of("192.0.2.3", "192.0.2.2", "192.0.2.1"))) {
      known = order;
      target.resolve();
      assertThat(target.of(REQUIRED)).contains(new EgressAddress("192.0.2.1", 8787));
    }
    known = List.of("192.0.2.3", "192.0.2.2");
    target.resolve();
    assertThat(target.of(REQUIRED)).contains(new EgressAddress("192.0.2.3", 8787));
  }

  @Test
  void anAddressThatComesBackIsTheCurrentOne() {
    for (String address : List.of("192.0.2.1", "192.0.2.2", "192.0.2.1")) {
      known = List.of(address);
      target.resolve();
    }
    assertThat(target.of(REQUIRED)).contains(new EgressAddress("192.0.2.1", 8787));
    assertThat(target.resolved("192.0.2.2:8787")).isPresent();
  }

  @Test
  void withoutAConfigurationAClassHasToSwitchItOff() {
    try (EgressTarget none = new EgressTarget(null)) {
      none.resolve();
      assertThat(none.missing(REQUIRED).orElseThrow()).contains("set egressCheck: Disabled");
      assertThat(none.missing(DISABLED)).isEmpty();
    }
  }
}
