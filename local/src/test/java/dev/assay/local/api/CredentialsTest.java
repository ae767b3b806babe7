package dev.assay.local.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.local.api.authentication.BearerToken;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody is served without the token, whatever account of the machine it is. */
class CredentialsTest {
  private final RunningServer running = new RunningServer();

  @AfterEach
  void stop() {
    running.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/pods", "/apis", "/openapi/v3", "/healthz", "/nowhere"})
  void aRequestWithoutTheTokenIsRefusedAndToldWhereItIs(String path) throws Exception {
    HttpResponse<String> response = get(path, null);
    assertThat(response.code()).isEqualTo(401);
    assertThat(response.header("WWW-Authenticate")).isEqualTo("Bearer");
    JsonNode status = new ObjectMapper().readTree(response.body());
    assertThat(status.path("reason").asText()).isEqualTo("Unauthorized");
    assertThat(status.path("message").asText())
        .isEqualTo("Unauthorized: send the token in the client configuration as a bearer token");
  }

  @Test
  void anotherTokenIsRefused() throws Exception {
    assertThat(get("/api/v1/pods", "x").code()).isEqualTo(401);
    String token = running.server().clientConfig().getOauthToken();
    assertThat(get("/api/v1/pods", token.substring(1)).code()).isEqualTo(401);
    assertThat(get("/api/v1/pods", token + "x").code()).isEqualTo(401);
    assertThat(get("/api/v1/pods", token).code()).isEqualTo(200);
  }

  @Test
  void aPodThatIsPostedWithoutTheTokenIsNotCreated() {
    try (KubernetesClient stranger = client(null)) {
      var pod =
          new PodBuilder()
              .withNewMetadata()
              .withName("stranger")
              .withNamespace(RunningServer.NAMESPACE)
              .endMetadata()
              .withNewSpec()
              .addNewContainer()
              .withName("c")
              .withImage("i")
              .endContainer()
              .endSpec()
              .build();
      assertThat(catchThrowable(() -> stranger.resource(pod).create()))
          .hasMessageContaining("Unauthorized");
    }
    assertThat(running.client().pods().inNamespace(RunningServer.NAMESPACE).list().getItems())
        .isEmpty();
  }

  @Test
  void eachTokenIsNewAndKeptOutOfLogs() {
    BearerToken token = BearerToken.random("FILE");
    assertThat(token.value()).hasSizeGreaterThan(40);
    assertThat(token.value()).isNotEqualTo(BearerToken.random("FILE").value());
    assertThat(token).hasToString("the token in FILE");
    assertThat(token.isIn("bearer " + token.value())).isFalse();
  }

  private HttpResponse<String> get(String path, @Nullable String token) throws Exception {
    try (KubernetesClient client = client(token)) {
      return client
          .getHttpClient()
          .sendAsync(
              client
                  .getHttpClient()
                  .newHttpRequestBuilder()
                  .uri(client.getMasterUrl().toString().replaceFirst("/$", "") + path)
                  .build(),
              String.class)
          .get();
    }
  }

  private KubernetesClient client(@Nullable String token) {
    Config config =
        new ConfigBuilder(running.server().clientConfig()).withOauthToken(token).build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }
}
