package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpec;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpecBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GatewayTokenTest {
  private final GatewayToken token = GatewayToken.random(Path.of("token"));

  private static TokenReviewSpec review(String token, String audience) {
    return new TokenReviewSpecBuilder().withToken(token).withAudiences(audience).build();
  }

  @Test
  void onlyTheOperatorIsKnownAndForTheGatewayOnly() {
    String value = token.token().value();

    var accepted = token.review(review(value, "assay-tool-gateway"));
    assertThat(accepted.getAuthenticated()).isTrue();
    assertThat(accepted.getUser().getUsername()).isEqualTo(GatewayToken.OPERATOR);
    assertThat(token.review(review("guessed", "assay-tool-gateway")).getAuthenticated()).isFalse();
    assertThat(token.review(review(value, "assay-operator")).getAuthenticated()).isFalse();
  }
}
