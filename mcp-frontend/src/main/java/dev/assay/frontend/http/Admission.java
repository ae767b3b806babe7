package dev.assay.frontend.http;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.identity.Identity;

/**
 * What one caller, and one address without a valid key, may take of the endpoint before a request
 * is read: how many requests a second, how many bodies that arrive at once, and how many refused
 * requests whose rest is still discarded.
 */
final class Admission {
  /** How fast an address may be told, with {@code 401}, that it has no valid key. */
  private static final int REFUSALS_PER_SECOND = 20;

  private static final int REFUSALS_AT_ONCE = 200;

  /** Seconds of its usual pace that a caller may take at once. */
  private static final int BURST_SECONDS = 5;

  private static final int DISCARDED_AT_ONCE = 64;
  private static final int DISCARDED_PER_ADDRESS = 16;

  private final RateLimit<String> refusals =
      new RateLimit<>(REFUSALS_PER_SECOND, REFUSALS_AT_ONCE, System::nanoTime);
  private final SharedQuota<String> discarded =
      new SharedQuota<>(DISCARDED_AT_ONCE, DISCARDED_PER_ADDRESS);
  private final RateLimit<Identity> requests;
  private final SharedQuota<Identity> bodies;

  /**
   * Nothing is taken yet.
   *
   * @param bodiesAtOnce bodies that arrive, of all callers
   */
  Admission(FrontEndConfig config, int bodiesAtOnce) {
    int perSecond = config.requestsPerSecondPerCaller();
    this.requests = new RateLimit<>(perSecond, BURST_SECONDS * perSecond, System::nanoTime);
    this.bodies =
        new SharedQuota<>(
            bodiesAtOnce, config.tellsCallersApart() ? bodiesAtOnce / 2 : bodiesAtOnce);
  }

  /** Whether an address without a valid key is told so, or asked to slow down. */
  boolean mayBeRefused(String address) {
    return refusals.take(address);
  }

  /** Whether a caller may make one more request now. */
  boolean mayRequest(Identity caller) {
    return requests.take(caller.withoutGrants());
  }

  /** Takes room for a body that is to arrive. */
  SharedQuota.Decision takeBody(Identity caller) {
    return bodies.take(caller.withoutGrants(), 1);
  }

  /** The body has arrived. */
  void giveBody(Identity caller) {
    bodies.give(caller.withoutGrants(), 1);
  }

  /** Whether the rest of a refused request is discarded before its connection is closed. */
  boolean mayDiscard(String address) {
    return discarded.take(address, 1) == SharedQuota.Decision.GRANTED;
  }

  /** The rest was discarded. */
  void discarded(String address) {
    discarded.give(address, 1);
  }
}
