package dev.assay.operator.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.CrdManifests;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.FakeApiServer.Request;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CrdsTest {
  private static final String PATH = "/customresourcedefinitions/";

  private final FakeApiServer api = new FakeApiServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void eachCrdIsAppliedAsItIsInItsFile() throws IOException {
    CrdManifests.all().forEach(crd -> api.put(atRevision(crd, "")));
    Crds.upgrade(api.client());
    List<Request> applied = api.requests("PATCH", PATH);
    assertThat(applied).hasSize(4);
    for (Request request : applied) {
      assertThat(request.body()).isEqualTo(file(request.path()));
      assertThat(request.query()).contains("fieldManager=assay-crds").contains("force=true");
    }
  }

  @Test
  void aCrdOfANewerVersionStays() {
    List<CustomResourceDefinition> all = CrdManifests.all();
    all.forEach(api::put);
    api.put(atRevision(all.getFirst(), "1000000"));
    Crds.upgrade(api.client());
    assertThat(api.requests("PATCH", PATH))
        .hasSize(3)
        .noneMatch(request -> request.path().endsWith(all.getFirst().getMetadata().getName()));
  }

  @Test
  void noCrdIsAppliedWhereOneWouldLoseObjects() {
    List<CustomResourceDefinition> all = CrdManifests.all();
    all.forEach(api::put);
    api.put(storedIn(all.getLast(), "v1alpha0", "v1alpha1"));
    assertThatThrownBy(() -> Crds.upgrade(api.client()))
        .isInstanceOf(Crds.RefusedException.class)
        .hasMessageStartingWith(
            "objects of toolservers.assay.dev may be stored in version v1alpha0, which its new CRD"
                + " does not have. Write these objects again in version v1alpha1, ");
    assertThat(api.requests("PATCH", PATH)).isEmpty();
  }

  @Test
  void aCrdThatStaysLosesNoObjects() {
    List<CustomResourceDefinition> all = CrdManifests.all();
    all.forEach(api::put);
    api.put(storedIn(atRevision(all.getLast(), "1000000"), "v1"));
    Crds.upgrade(api.client());
    assertThat(api.requests("PATCH", PATH)).hasSize(3);
  }

  @Test
  void eachCrdHasARevision() {
    assertThat(CrdManifests.all())
        .allSatisfy(
            crd ->
                assertThat(crd.getMetadata().getAnnotations().get(CrdManifests.REVISION))
                    .matches("[1-9][0-9]*"));
  }

  @Test
  void aRevisionThatIsNoNumberIsReplaced() {
    CustomResourceDefinition crd = CrdManifests.all().getFirst();
    assertThat(CrdDecision.isNewer(atRevision(crd, "x9"), crd)).isFalse();
  }

  private static CustomResourceDefinition atRevision(
      CustomResourceDefinition crd, String revision) {
    return new CustomResourceDefinitionBuilder(crd)
        .editMetadata()
        .addToAnnotations(CrdManifests.REVISION, revision)
        .endMetadata()
        .build();
  }

  private static CustomResourceDefinition storedIn(
      CustomResourceDefinition crd, String... versions) {
    return new CustomResourceDefinitionBuilder(crd)
        .withNewStatus()
        .withStoredVersions(versions)
        .endStatus()
        .build();
  }

  private static JsonNode file(String path) throws IOException {
    String name = path.substring(path.lastIndexOf('/') + 1);
    try (InputStream yaml =
        CrdsTest.class.getResourceAsStream("/dev/assay/api/crds/" + name + ".yaml")) {
      return Serialization.unmarshal(yaml, JsonNode.class);
    }
  }
}
