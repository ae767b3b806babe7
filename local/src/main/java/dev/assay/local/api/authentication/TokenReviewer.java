package dev.assay.local.api.authentication;

import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpec;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatusBuilder;

/** Authenticates tokens. */
@FunctionalInterface
public interface TokenReviewer {
  /** Rejects every token. */
  TokenReviewer NONE =
      review ->
          new TokenReviewStatusBuilder()
              .withAuthenticated(false)
              .withError("this server accepts no tokens of service accounts")
              .build();

  /** Reviews a token for the requested audiences. */
  TokenReviewStatus review(TokenReviewSpec review);
}
