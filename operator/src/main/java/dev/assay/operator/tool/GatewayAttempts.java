package dev.assay.operator.tool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The addresses at which one call is tried. Each replica once at first; then, with a pause before
 * each attempt, one after the other, as long as one of them may accept the call later.
 */
final class GatewayAttempts {
  private final Supplier<List<String>> addresses;
  private final Clock clock;
  private final Instant deadline;
  private final Backoff backoff;
  private int tried;
  private boolean passes;

  /**
   * No attempt was made yet.
   *
   * @param addresses of the replicas, in the order in which they are to be asked
   * @param atMost how long they are asked again
   * @param deadline after which no attempt is made but the first
   */
  GatewayAttempts(
      Supplier<List<String>> addresses, Clock clock, Duration atMost, Instant deadline) {
    this.addresses = addresses;
    this.clock = clock;
    this.deadline = deadline;
    Instant end = clock.instant().plus(atMost);
    this.backoff = new Backoff(clock, end.isBefore(deadline) ? end : deadline);
  }

  /** The first address; empty if there is no replica. */
  Optional<String> first() {
    return addresses.get().stream().findFirst();
  }

  /**
   * The address after one that did not accept the call, once it is time for the attempt.
   *
   * @param mayAcceptLater whether that one may accept it later
   * @return empty if the call is to be given up
   */
  Optional<String> next(boolean mayAcceptLater) throws InterruptedException {
    passes |= mayAcceptLater;
    tried++;
    List<String> now = addresses.get();
    if (now.isEmpty() || (tried >= now.size() && !(passes && backoff.pause()))) {
      return Optional.empty();
    }
    return clock.instant().isBefore(deadline)
        ? Optional.of(now.get(tried % now.size()))
        : Optional.empty();
  }
}
