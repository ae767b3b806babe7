package dev.assay.operator.runner;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;

/**
 * The request that starts a job, signed before it may be sent: a signature takes as long as the
 * request itself.
 *
 * @param request not sent yet
 * @param signed when it was signed
 */
public record SignedStart(HttpRequest request, Instant signed) {
  /** A part of the age at which a runner refuses it. */
  private static final Duration MAX_AGE = Duration.ofSeconds(30);

  boolean isFresh(Instant now) {
    return now.isBefore(signed.plus(MAX_AGE));
  }
}
