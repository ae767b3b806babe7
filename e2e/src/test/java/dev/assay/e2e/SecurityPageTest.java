package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecurityPageTest {
  @Test
  void everyProbeOfTheNetworkHasItsRow() {
    assertThat(SecurityPage.rows("The network"))
        .containsExactlyElementsOf(NetworkProbe.ALL.stream().map(NetworkProbe::row).toList());
  }

  @Test
  void everyProbeOfTheToolGatewayHasItsRow() {
    assertThat(SecurityPage.rows("The network of the tool gateway"))
        .containsExactlyElementsOf(
            NetworkProbe.OF_TOOL_GATEWAY.keySet().stream()
                .map(NetworkProbe::rowOfToolGateway)
                .toList());
  }

  @Test
  void everyProbeOfTheSandboxHasItsRow() {
    assertThat(SecurityPage.rows("The sandbox").stream().map(SecurityPage::name))
        .containsExactlyElementsOf(SecurityPage.sandboxProbes());
  }

  @Test
  void everyProbeOfTheSqlEngineHasItsRow() {
    assertThat(SecurityPage.rows("SQL").stream().map(SecurityPage::name))
        .containsExactlyElementsOf(SecurityPage.queryProbes().keySet());
    assertThat(SecurityPage.queryProbes().values())
        .hasSizeGreaterThan(15)
        .doesNotContain(List.of());
  }

  @Test
  void everyProbeOfV8HasItsRow() {
    assertThat(SecurityPage.rows("Scripts").stream().map(SecurityPage::name))
        .containsExactlyElementsOf(SecurityPage.scriptProbes().keySet())
        .hasSizeGreaterThan(10);
  }

  @Test
  void noTwoProbesHaveOneName() {
    assertThat(SecurityPage.sandboxProbes()).doesNotHaveDuplicates().hasSizeGreaterThan(40);
    assertThat(NetworkProbe.ALL.stream().map(NetworkProbe::name)).doesNotHaveDuplicates();
  }
}
