package dev.assay.local.api.authentication;

import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpec;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatusBuilder;

/** Knows whose a token is. */
@FunctionalInterface
public interface TokenReviewer {
  /** Knows no token. */
  TokenReviewer NONE =
      review ->
          new TokenReviewStatusBuilder()
              .withAuthenticated(false)
              .withError("no token is known here")
              .build();

  /** Judges a token for the audiences that are asked about. */
  TokenReviewStatus review(TokenReviewSpec review);
}
