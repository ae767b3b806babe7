package dev.assay.operator.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Whether the API server answers, and where it does not, whether it answers a new connection: then
 * it is not the server that is broken but this process's client. That happens where the client's
 * only connection, or the thread that polls it, is dead.
 */
public final class ApiProbe {
  private static final Duration GRACE = Duration.ofMinutes(1);
  private static final String BROKEN =
      "the API client gets no answer, and a new connection to the API server does";

  private final BooleanSupplier client;
  private final BooleanSupplier newConnection;
  private final SymptomHistory history = new SymptomHistory();
  private volatile State state = new State(true, false);

  private record State(boolean answers, boolean broken) {}

  /**
   * A probe that has not looked: the API server counts as answering.
   *
   * @param client whether a request by the client that everything uses is answered, be it by a
   *     refusal
   * @param newConnection the same by a client that is made for it
   */
  public ApiProbe(BooleanSupplier client, BooleanSupplier newConnection) {
    this.client = client;
    this.newConnection = newConnection;
  }

  /** Asks the API server; blocks until it is answered or given up. */
  public void look() {
    boolean answers = succeeds(client);
    boolean broken = !answers && succeeds(newConnection);
    state = new State(answers, broken);
  }

  private static boolean succeeds(BooleanSupplier request) {
    try {
      return request.getAsBoolean();
    } catch (RuntimeException e) {
      return false;
    }
  }

  boolean answers() {
    return state.answers();
  }

  Set<String> symptoms(Instant now) {
    return history.lasting(state.broken() ? Set.of(BROKEN) : Set.of(), GRACE, now);
  }
}
