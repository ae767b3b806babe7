package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
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
  void everyEscapeHasItsRow() {
    assertThat(SecurityPage.rows("Container escapes").stream().map(SecurityPage::name))
        .containsExactlyElementsOf(SecurityPage.escapeProbes());
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
  void everyAdmissionPolicyHasItsRowAndRefusesAWrite() throws IOException {
    String chart = Files.readString(Path.of("../helm/assay/templates/runs/policies.yaml"));
    List<String> policies =
        Pattern.compile("(?m)^kind: ValidatingAdmissionPolicy\\nmetadata:\\n  name: (\\S+)$")
            .matcher(chart)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(SecurityPage.rows("Admission policies").stream().map(SecurityPage::name))
        .containsExactlyElementsOf(policies)
        .isNotEmpty();
    assertThat(Samples.text("tenants/writes.csv").split("[,\n]")).containsAll(policies);
  }

  @Test
  void noTwoProbesHaveOneName() {
    assertThat(SecurityPage.sandboxProbes()).doesNotHaveDuplicates().hasSizeGreaterThan(40);
    assertThat(NetworkProbe.ALL.stream().map(NetworkProbe::name)).doesNotHaveDuplicates();
  }
}
