package dev.assay.cli.local;

import dev.assay.local.api.authentication.BearerToken;
import dev.assay.local.api.authentication.TokenReviewer;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpec;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatusBuilder;
import java.nio.file.Path;
import java.util.List;

/**
 * The token that the tool gateway knows the operator by. In a cluster the kubelet gives it to the
 * operator; here it is new at each start, and no other process of the machine has it.
 */
record GatewayToken(BearerToken token) implements TokenReviewer {
  static final String AUDIENCE = "assay-tool-gateway";

  /** Whom it was issued to. */
  static final String OPERATOR =
      "system:serviceaccount:" + LocalObjects.SYSTEM_NAMESPACE + ":assay-operator";

  /** A new one, which is going to be in a file. */
  static GatewayToken random(Path file) {
    return new GatewayToken(BearerToken.random(file.toString()));
  }

  @Override
  public TokenReviewStatus review(TokenReviewSpec review) {
    List<String> audiences = review.getAudiences();
    if (audiences == null
        || !audiences.contains(AUDIENCE)
        || !token.isIn("Bearer " + review.getToken())) {
      return TokenReviewer.NONE.review(review);
    }
    return new TokenReviewStatusBuilder()
        .withAuthenticated(true)
        .withAudiences(AUDIENCE)
        .withNewUser()
        .withUsername(OPERATOR)
        .endUser()
        .build();
  }
}
