package dev.assay.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.CrdManifests;
import dev.assay.cli.cluster.Finding.Level;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.client.VersionInfo;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiFindingsTest {
  private static final CustomResourceDefinition WANTED = CrdManifests.all().getFirst();

  @ParameterizedTest
  @CsvSource({"1,29,FAILED", "1,29+,FAILED", "1,30,OK", "1,31+,OK", "2,0,OK"})
  void kubernetesHasToBeAtLeast1_30(String major, String minor, Level level) {
    VersionInfo version =
        new VersionInfo.Builder()
            .withMajor(major)
            .withMinor(minor)
            .withGitVersion("v" + major + "." + minor)
            .build();
    Finding finding = ApiFindings.version(version);
    assertThat(finding.level()).isEqualTo(level);
    assertThat(finding.sentence()).contains("v" + major + "." + minor);
  }

  @Test
  void aCrdOfThisVersionIsWell() {
    assertThat(ApiFindings.crd(WANTED, Optional.of(WANTED)))
        .isEqualTo(Finding.ok("the CRD analyticsruns.assay.dev serves v1alpha1"));
  }

  @Test
  void aCrdThatIsMissingOrDoesNotServeTheVersionIsAFailure() {
    assertThat(ApiFindings.crd(WANTED, Optional.empty()))
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.FAILED))
        .satisfies(
            finding ->
                assertThat(finding.sentence()).contains("is missing: run 'helm upgrade', or"));
    CustomResourceDefinition other =
        new CustomResourceDefinitionBuilder(WANTED)
            .editSpec()
            .editFirstVersion()
            .withServed(false)
            .endVersion()
            .endSpec()
            .build();
    assertThat(ApiFindings.crd(WANTED, Optional.of(other)))
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.FAILED))
        .satisfies(
            finding ->
                assertThat(finding.sentence())
                    .contains("does not serve v1alpha1: run 'kubectl apply --server-side "));
  }

  @Test
  void anEarlierCrdIsAFailureAndALaterOneIsNot() {
    assertThat(ApiFindings.crd(WANTED, Optional.of(atRevision("0"))))
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.FAILED))
        .satisfies(finding -> assertThat(finding.sentence()).contains("earlier", "helm upgrade"));
    assertThat(ApiFindings.crd(WANTED, Optional.of(atRevision("1000"))))
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.NOTE))
        .satisfies(finding -> assertThat(finding.sentence()).contains("later", "revision 1000"));
  }

  private static CustomResourceDefinition atRevision(String revision) {
    return new CustomResourceDefinitionBuilder(WANTED)
        .editMetadata()
        .addToAnnotations(CrdManifests.REVISION, revision)
        .endMetadata()
        .build();
  }
}
