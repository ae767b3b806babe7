package dev.assay.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.authentication.CallerReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@EnableKubernetesMockClient
class CallerReviewTest {
  private static final String OPERATOR = "system:serviceaccount:assay-system:assay-operator";
  private static final String AUDIENCE = "assay-tool-gateway";

  /** Set by the extension. */
  private KubernetesMockServer server;

  /** Set by the extension. */
  private KubernetesClient client;

  private CallerReview review() {
    return new CallerReview(client, AUDIENCE, List.of(OPERATOR), Clock.systemUTC());
  }

  private void answer(boolean authenticated, String audience, String user) {
    TokenReview review =
        new TokenReviewBuilder()
            .withNewStatus()
            .withAuthenticated(authenticated)
            .withAudiences(audience)
            .withNewUser()
            .withUsername(user)
            .endUser()
            .endStatus()
            .build();
    server
        .expect()
        .post()
        .withPath("/apis/authentication.k8s.io/v1/tokenreviews")
        .andReturn(201, review)
        .once();
  }

  @Test
  void theOperatorsTokenIsReviewedOnceAMinute() {
    answer(true, AUDIENCE, OPERATOR);
    CallerReview review = review();
    assertThat(review.acceptsHeader("Bearer token")).isTrue();
    assertThat(review.acceptsHeader("Bearer token")).isTrue();
    assertThat(server.getRequestCount()).isEqualTo(1);
  }

  @Test
  void tokensOfOthersAndForOthersAreRefused() {
    answer(false, AUDIENCE, OPERATOR);
    assertThat(review().acceptsHeader("Bearer a")).isFalse();
    answer(true, "another", OPERATOR);
    assertThat(review().acceptsHeader("Bearer b")).isFalse();
    answer(true, AUDIENCE, "system:serviceaccount:team:other");
    assertThat(review().acceptsHeader("Bearer c")).isFalse();
  }

  @Test
  void whatIsNoTokenIsNotReviewed() {
    assertThat(review().acceptsHeader(null)).isFalse();
    assertThat(review().acceptsHeader("Basic abc")).isFalse();
    assertThat(server.getRequestCount()).isZero();
  }
}
