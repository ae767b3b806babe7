package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Discovery, and requests that are malformed. */
interface RequestContract extends Contract {
  private List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private JsonNode resource(String path, String name) {
    for (JsonNode resource : server().get(path).orFail().path("resources")) {
      if (resource.path("name").asText().equals(name)) {
        return resource;
      }
    }
    throw new AssertionError(path + " has no " + name);
  }

  @Test
  default void theKindsAreDiscovered() {
    JsonNode run = resource("/apis/assay.dev/v1alpha1", "analyticsruns");
    assertThat(run.path("kind").asText()).isEqualTo("AnalyticsRun");
    assertThat(run.path("singularName").asText()).isEqualTo("analyticsrun");
    assertThat(run.path("namespaced").asBoolean()).isTrue();
    assertThat(texts(run.path("shortNames"))).containsExactly("arun");
    assertThat(texts(run.path("categories"))).containsExactly("assay");
    assertThat(texts(run.path("verbs")))
        .containsExactlyInAnyOrder(
            "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    resource("/apis/assay.dev/v1alpha1", "analyticsruns/status");
    assertThat(resource("/apis/assay.dev/v1alpha1", "runclasses").path("namespaced").asBoolean())
        .isFalse();
    assertThat(texts(resource("/api/v1", "pods").path("shortNames"))).containsExactly("po");
    resource("/api/v1", "pods/log");
    assertThat(texts(resource("/apis/authentication.k8s.io/v1", "tokenreviews").path("verbs")))
        .containsExactly("create");
    for (String path :
        List.of(
            "/apis/coordination.k8s.io/v1",
            "/apis/discovery.k8s.io/v1",
            "/apis/networking.k8s.io/v1")) {
      assertThat(server().get(path).orFail().path("kind").asText()).isEqualTo("APIResourceList");
    }
  }

  @Test
  default void groupsAndVersionsAreDiscovered() {
    assertThat(texts(server().get("/api").orFail().path("versions"))).containsExactly("v1");
    List<String> groups = new ArrayList<>();
    server()
        .get("/apis")
        .orFail()
        .path("groups")
        .forEach(one -> groups.add(one.path("name").asText()));
    assertThat(groups).contains("assay.dev", "coordination.k8s.io", "networking.k8s.io");
    assertThat(
            server().get("/apis/assay.dev").orFail().at("/preferredVersion/groupVersion").asText())
        .isEqualTo("assay.dev/v1alpha1");
    assertThat(server().get("/version").orFail().path("major").asText()).isEqualTo("1");
  }

  @Test
  default void anObjectIsReadAtLeastAsNewAsAVersion() {
    String name = freshName();
    JsonNode run = createRun(name);
    String path = runs() + "/" + name + "?resourceVersion=" + version(run);
    assertThat(version(server().get(path).orFail())).isEqualTo(version(run));
    assertThat(server().get(path.replace(name, freshName())).code()).isEqualTo(404);
  }

  @Test
  default void aPathThatIsNoneIsNotFound() {
    for (String path :
        List.of(
            "/apis/assay.dev/v9",
            "/apis/assay.dev/v1alpha1/nonsense",
            "/apis/no.such.group/v1",
            "/apis/assay.dev/v1alpha1/namespaces/" + namespace() + "/nonsense",
            runs() + "/x/nonsense")) {
      assertThat(server().get(path).code()).as(path).isEqualTo(404);
    }
  }

  @Test
  default void aMethodThatIsNoneIsNotAllowed() {
    assertRefused(
        server().send("PUT", configMaps(), ApiServer.JSON, configMap("x", "")),
        405,
        "MethodNotAllowed");
    assertRefused(
        server().send("POST", configMaps() + "/x", ApiServer.JSON, configMap("x", "")),
        405,
        "MethodNotAllowed");
    assertThat(server().send("OPTIONS", configMaps(), null, null).code()).isEqualTo(405);
    assertThat(server().send("HEAD", configMaps(), null, null).code()).isEqualTo(405);
  }

  @Test
  default void whatIsNotJsonIsRefused() {
    for (String body : List.of("{", "nonsense", "[]", "\"a\"")) {
      assertRefused(server().post(configMaps(), body), 400, "BadRequest");
    }
  }

  @Test
  default void aTypeThatIsNotKnownIsRefused() {
    assertRefused(
        server().send("POST", configMaps(), "text/plain", configMap("x", "")),
        415,
        "UnsupportedMediaType");
    assertThat(server().getAs("text/html", configMaps()).code()).isEqualTo(406);
  }

  @Test
  default void aBodyThatIsTooLargeIsRefused() {
    String body = configMap(freshName(), "").replace("\"1\"", "\"" + "x".repeat(4 << 20) + "\"");
    assertRefused(server().post(configMaps(), body), 413, "RequestEntityTooLarge");
  }

  @Test
  default void aTokenThatNobodyIssuedIsNotAuthenticated() {
    JsonNode review =
        server()
            .post(
                "/apis/authentication.k8s.io/v1/tokenreviews",
                """
                {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
                 "spec": {"token": "nonsense", "audiences": ["assay-operator"]}}\
                """)
            .orFail();
    assertThat(review.at("/status/authenticated").asBoolean()).isFalse();
    assertThat(review.at("/kind").asText()).isEqualTo("TokenReview");
  }

  @Test
  default void whatAClientMayDoIsAnswered() {
    JsonNode review =
        server()
            .post(
                "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                """
                {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
                 "spec": {"namespace": "default"}}\
                """)
            .orFail();
    assertThat(review.at("/kind").asText()).isEqualTo("SelfSubjectRulesReview");
    assertThat(review.at("/status/resourceRules/0/verbs").isArray()).isTrue();
  }
}
