package dev.assay.operator.tool;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The tool gateway, which holds the sessions and credentials of tool servers. */
interface GatewayClient {
  /**
   * The addresses of its replicas, in the order in which they are to be asked. The first one for a
   * key stays the first one while it exists.
   *
   * @param key such as the UID of a run
   */
  List<String> addresses(String key);

  /**
   * Asks which process is at an address.
   *
   * @throws NotAcceptedException if nothing answers there
   */
  Replica replica(String address) throws NotAcceptedException, InterruptedException;

  /**
   * Has a tool called, and waits for the outcome. A process that has the call already sends nothing
   * and returns the outcome of the first time.
   *
   * @param atMost how long the call may take; the response may take a little longer
   * @throws NotAcceptedException if the process certainly did not accept the request
   * @throws ReplicaGoneException if another process is at its address
   * @throws IOException if it is unknown whether the request reached the process
   */
  Outcome call(Replica replica, GatewayCall call, Duration atMost)
      throws NotAcceptedException, ReplicaGoneException, IOException, InterruptedException;

  /** Has the calls of a run cancelled and forgotten; idempotent. */
  void close(String address, String runUid) throws IOException, InterruptedException;

  /**
   * The tools that a tool server lists now. Close it soon: lists are long, and take turns.
   *
   * @param server the metadata of the tool server: its list is that of this object at this
   *     generation, or a later one, and not that of an earlier object with its name
   * @throws ListFailedException if the server cannot be asked; the message is for people
   */
  Listing tools(String address, ObjectMeta server) throws ListFailedException, InterruptedException;

  /**
   * A list of tools, and the memory that it takes until this is closed.
   *
   * @param release gives the memory back
   */
  record Listing(ListedTools tools, Runnable release) implements AutoCloseable {
    @Override
    public void close() {
      release.run();
    }
  }

  /** The request certainly was not accepted by the process. */
  final class NotAcceptedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean passes;

    /** One that may be accepted later: the process is busy, or cannot be connected to. */
    NotAcceptedException(String message) {
      this(message, /* passes= */ true);
    }

    /**
     * One of either kind.
     *
     * @param passes whether the same request may be accepted later
     */
    NotAcceptedException(String message, boolean passes) {
      super(message);
      this.passes = passes;
    }

    /** Whether the same request may be accepted later. */
    boolean passes() {
      return passes;
    }
  }

  /** The process does not exist anymore, and with it what it knew. */
  final class ReplicaGoneException extends Exception {
    private static final long serialVersionUID = 1L;

    ReplicaGoneException() {
      super("another process of the tool gateway is at its address");
    }
  }

  /** A tool server does not list its tools. */
  final class ListFailedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String code;

    ListFailedException(String code, String message) {
      super(message);
      this.code = code;
    }

    /** What kind of failure it is. */
    String code() {
      return code;
    }
  }
}
