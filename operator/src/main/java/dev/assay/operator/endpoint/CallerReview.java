package dev.assay.operator.endpoint;

import dev.assay.api.digest.Sha256;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks with a TokenReview that a token was issued for this endpoint to an allowed service
 * account. An accepted token is cached for a minute; a rejected one is not cached.
 */
final class CallerReview {
  private static final Duration ACCEPTED_FOR = Duration.ofMinutes(1);
  private static final int MAX_CACHED = 256;

  private final KubernetesClient client;
  private final EndpointConfig config;
  private final Clock clock;
  private final Map<String, Instant> acceptedUntil = new ConcurrentHashMap<>();

  CallerReview(KubernetesClient client, EndpointConfig config, Clock clock) {
    this.client = client;
    this.config = config;
    this.clock = clock;
  }

  boolean accepts(String token) {
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
                    .withAudiences(config.audience())
                    .endSpec()
                    .build())
            .create();
    var status = answer.getStatus();
    return Boolean.TRUE.equals(status.getAuthenticated())
        && status.getAudiences().contains(config.audience())
        && config.allowedServiceAccounts().contains(status.getUser().getUsername());
  }
}
