package dev.assay.operator.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Whether the API server responds, and if it does not, whether it responds on a new connection:
 * then this process's client is broken and not the server. That happens if the client's only
 * connection, or the thread that polls it, is dead.
 */
public final class ApiProbe {
  private static final Duration GRACE = Duration.ofMinutes(1);
  private static final String BROKEN =
      "the API client gets no response, but a new connection to the API server does";

  private final BooleanSupplier client;
  private final BooleanSupplier newConnection;
  private final SymptomHistory history = new SymptomHistory();
  private volatile State state = new State(true, false);

  private record State(boolean answers, boolean broken) {}

  /**
   * Creates a probe that has not run: the API server counts as responding.
   *
   * @param client whether a request by the shared client gets a response, even an error
   * @param newConnection the same for a client that is created for the request
   */
  public ApiProbe(BooleanSupplier client, BooleanSupplier newConnection) {
    this.client = client;
    this.newConnection = newConnection;
  }

  /** Sends a request to the API server; blocks until the response or a timeout. */
  public void probe() {
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
