package dev.assay.frontend.http;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.RateLimit;
import dev.assay.frontend.limit.SharedQuota;

/**
 * The limits of one caller, and of one address without a valid key, before a request is read: the
 * rate of requests, those in progress, the bodies in transit, and the refused requests whose rest
 * is drained.
 */
final class RequestLimits {
  /** Rate at which an address without a valid key gets {@code 401}; more get {@code 429}. */
  private static final int REFUSALS_PER_SECOND = 20;

  private static final int REFUSALS_AT_ONCE = 200;

  private static final int BODIES_AT_ONCE = 128;
  private static final int DRAINED_AT_ONCE = 64;
  private static final int DRAINED_PER_ADDRESS = 16;

  private final RateLimit<String> refusals =
      new RateLimit<>(REFUSALS_PER_SECOND, REFUSALS_AT_ONCE, System::nanoTime);
  private final SharedQuota<String> drained =
      new SharedQuota<>(DRAINED_AT_ONCE, DRAINED_PER_ADDRESS);
  private final RateLimit<Identity> requests;
  private final SharedQuota<Identity> bodies;
  private final SharedQuota<Identity> inProgress;

  /**
   * Limits of which nothing is taken.
   *
   * @param connections maximum number of them
   */
  RequestLimits(FrontEndConfig config, int connections) {
    int perSecond = config.requestsPerSecondPerCaller();
    this.requests = RateLimit.perSecond(perSecond);
    int callers = config.tellsCallersApart() ? 2 : 1;
    this.bodies = new SharedQuota<>(BODIES_AT_ONCE, BODIES_AT_ONCE / callers);
    this.inProgress = new SharedQuota<>(connections, connections / callers);
  }

  /** Counts a request without a valid key; false if its address exceeds the rate. */
  boolean takeUnauthorized(String address) {
    return refusals.take(address);
  }

  /** Counts a request of a caller; false if it exceeds the rate. */
  boolean takeRequest(Identity caller) {
    return requests.take(caller.asCaller());
  }

  /** Takes a place for a request; false if the caller has as many in progress as it may. */
  boolean takeInProgress(Identity caller) {
    return inProgress.take(caller.asCaller(), 1) == SharedQuota.Decision.GRANTED;
  }

  /** Gives the place of a request back. */
  void giveInProgress(Identity caller) {
    inProgress.give(caller.asCaller(), 1);
  }

  /** Takes a place for a body. */
  SharedQuota.Decision takeBody(Identity caller) {
    return bodies.take(caller.asCaller(), 1);
  }

  /** Gives the place of a body back. */
  void giveBody(Identity caller) {
    bodies.give(caller.asCaller(), 1);
  }

  /** Takes a place for draining a refused request; false if there is none. */
  boolean takeDrain(String address) {
    return drained.take(address, 1) == SharedQuota.Decision.GRANTED;
  }

  /** Gives the place of a drained request back. */
  void giveDrain(String address) {
    drained.give(address, 1);
  }
}
