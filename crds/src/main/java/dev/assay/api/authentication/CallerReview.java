package dev.assay.api.authentication;

import dev.assay.api.digest.Sha256;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks with a TokenReview that a token was issued for an endpoint to an allowed service account.
 * An accepted token is cached for a minute; a rejected one is not cached.
 */
public final class CallerReview {
  private static final String BEARER = "Bearer ";
  private static final Duration ACCEPTED_FOR = Duration.ofMinutes(1);
  private static final int MAX_CACHED = 256;

  private final KubernetesClient client;
  private final String audience;
  private final List<String> allowedServiceAccounts;
  private final Clock clock;
  private final Map<String, Instant> acceptedUntil = new ConcurrentHashMap<>();

  /**
   * A review.
   *
   * @param audience the audience that a token must have
   * @param allowedServiceAccounts user names of the service accounts that may call
   */
  public CallerReview(
      KubernetesClient client, String audience, List<String> allowedServiceAccounts, Clock clock) {
    this.client = client;
    this.audience = audience;
    this.allowedServiceAccounts = List.copyOf(allowedServiceAccounts);
    this.clock = clock;
  }

  /** Whether an Authorization header has a token that is accepted. */
  public boolean acceptsHeader(@Nullable String authorization) {
    return authorization != null
        && authorization.startsWith(BEARER)
        && accepts(authorization.substring(BEARER.length()));
  }

  private boolean accepts(String token) {
    String digest = Sha256.hex(token);
    Instant until = acceptedUntil.get(digest);
    if (until != null && clock.instant().isBefore(until)) {
      return true;
    }
    boolean accepted = review(token);
    if (accepted) {
      if (acceptedUntil.size() >= MAX_CACHED) {
        acceptedUntil.clear();
      }
      acceptedUntil.put(digest, clock.instant().plus(ACCEPTED_FOR));
    } else {
      acceptedUntil.remove(digest);
    }
    return accepted;
  }

  private boolean review(String token) {
    TokenReview answer =
        client
            .resource(
                new TokenReviewBuilder()
                    .withNewSpec()
                    .withToken(token)
                    .withAudiences(audience)
                    .endSpec()
                    .build())
            .create();
    var status = answer.getStatus();
    return status != null
        && Boolean.TRUE.equals(status.getAuthenticated())
        && status.getAudiences().contains(audience)
        && allowedServiceAccounts.contains(status.getUser().getUsername());
  }
}
