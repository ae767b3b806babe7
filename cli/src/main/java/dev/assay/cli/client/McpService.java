package dev.assay.cli.client;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What the bridge leads to: an endpoint that serves, or that is still being started. */
public interface McpService {
  /** An endpoint that serves, or that somebody else starts. */
  static McpService at(Endpoint endpoint) {
    return new McpService() {
      @Override
      public Endpoint endpoint() {
        return endpoint;
      }
    };
  }

  /** Starts it, once the first message was taken: nothing of it delays the reply. */
  default void start() {}

  /**
   * The endpoint's reply to a message, without the endpoint; empty if it serves already, or if only
   * it can tell.
   */
  default Optional<JsonNode> earlyReply(String message) {
    return Optional.empty();
  }

  /** Whether it serves, as far as is known here: before that, notifications are of no use to it. */
  default boolean serves() {
    return true;
  }

  /**
   * The endpoint; waits for its start.
   *
   * @throws NotStartedException if the start failed
   */
  Endpoint endpoint() throws NotStartedException, InterruptedException;

  /**
   * The reason why no tool can be called, after a short wait; empty if tools can be called. It is
   * the text of the reply.
   */
  default Optional<String> obstacle() throws InterruptedException {
    return Optional.empty();
  }

  /** The endpoint could not be started. The message says why and what to do, in one sentence. */
  final class NotStartedException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotStartedException(String message) {
      super(message);
    }
  }
}
