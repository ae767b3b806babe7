package dev.assay.cli.stdio;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * A program and its sessions. Each session has a process of its own, since a program that speaks
 * stdio has one client; so a program that has ended is started again with the next session.
 */
final class StdioServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StdioServer.class);

  /** For each session a process that is in use, and one that is being opened or ended. */
  private static final int PROCESSES_OF_A_SESSION = 2;

  private final String name;
  private final StdioCommand command;
  private final Duration patience;
  private final int maxSessions;
  private final Executor afterFirstUse;
  private final Map<String, StdioSession> sessions = new ConcurrentHashMap<>();

  /** The ids that have not come back: who has opened such a session may not have got it. */
  private final Set<String> unclaimed = ConcurrentHashMap.newKeySet();

  /** Those whose programs may run: in use, being opened, or being ended. */
  private final Set<StdioSession> running = ConcurrentHashMap.newKeySet();

  private @Nullable Starting starting;
  private String lastTrouble = "";
  private boolean closed;

  /** A process that has not replied yet: its first start may download it. */
  private record Starting(
      StdioSession session, JsonNode params, CompletableFuture<Optional<RpcMessage>> reply) {}

  /**
   * A session.
   *
   * @param id its id
   * @param reply to the request that has opened it
   */
  record Opened(String id, RpcMessage reply) {}

  /** The program has not replied yet, and the next session may have it. */
  static final class StillStartingException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** There are as many processes as there may be. */
  static final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    BusyException(String why) {
      super(why);
    }
  }

  /**
   * A server of which nothing is started yet.
   *
   * @param patience how long a request to open a session waits, below what its client does
   * @param maxSessions that it keeps
   * @param afterFirstUse does something once a session that is opened now has to have been used
   */
  StdioServer(
      String name,
      StdioCommand command,
      Duration patience,
      int maxSessions,
      Executor afterFirstUse) {
    this.name = name;
    this.command = command;
    this.patience = patience;
    this.maxSessions = maxSessions;
    this.afterFirstUse = afterFirstUse;
  }

  /**
   * Opens a session: starts the program, or takes the process of a request that could not wait for
   * it.
   *
   * @throws BusyException if too many are being opened or ended
   * @throws IOException if it cannot be started, or ends
   */
  Opened open(RpcMessage initialize)
      throws IOException, StillStartingException, InterruptedException {
    Starting mine = take(initialize);
    try {
      RpcMessage reply = mine.reply.get(patience.toMillis(), TimeUnit.MILLISECONDS).orElseThrow();
      String id = UUID.randomUUID().toString();
      keep(id, mine.session);
      return new Opened(id, reply.as(initialize.id()));
    } catch (TimeoutException e) {
      leave(mine);
      throw new StillStartingException();
    } catch (InterruptedException e) {
      end(mine.session);
      throw e;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  private Starting take(RpcMessage initialize) throws IOException, InterruptedException {
    Starting before = takeStarting();
    if (before != null) {
      if (before.session.isAlive() && before.params.equals(initialize.params())) {
        return before;
      }
      end(before.session);
    }
    StdioSession session = start();
    try {
      // Without the lock: a program that does not read may keep a long request from being written.
      return new Starting(session, initialize.params(), session.ask(initialize));
    } catch (IOException | InterruptedException e) {
      end(session);
      throw e;
    }
  }

  private synchronized @Nullable Starting takeStarting() {
    Starting before = starting;
    starting = null;
    return before;
  }

  private synchronized StdioSession start() throws IOException {
    if (closed) {
      throw new IOException("the bridge is closed");
    }
    running.removeIf(StdioSession::isOver);
    if (running.size() >= PROCESSES_OF_A_SESSION * maxSessions) {
      String why = "it has " + running.size() + " processes already, so no other is started";
      report(why);
      throw new BusyException(why);
    }
    try {
      StdioSession session = StdioSession.start(name, command, this::report);
      running.add(session);
      return session;
    } catch (IOException e) {
      report("it cannot be started: " + e.getMessage());
      throw e;
    }
  }

  private synchronized void leave(Starting mine) {
    if (starting == null && !closed) {
      starting = mine;
    } else {
      end(mine.session);
    }
  }

  private synchronized void keep(String id, StdioSession session) throws IOException {
    if (closed) {
      session.close();
      throw new IOException("the bridge is closed");
    }
    lastTrouble = "";
    sessions.values().removeIf(one -> !one.isAlive());
    if (sessions.size() >= maxSessions) {
      long now = System.nanoTime();
      sessions.entrySet().stream()
          .max(Comparator.comparingLong(one -> now - one.getValue().used()))
          .map(Map.Entry::getKey)
          .ifPresent(this::close);
    }
    sessions.put(id, session);
    unclaimed.add(id);
    afterFirstUse.execute(
        () -> {
          if (unclaimed.remove(id)) {
            close(id);
          }
        });
  }

  /** Says once what a start has failed with: somebody may ask again and again. */
  private synchronized void report(String trouble) {
    if (!trouble.equals(lastTrouble)) {
      lastTrouble = trouble;
      LOG.warn("The program of tool server {}: {}", name, trouble);
    }
  }

  /** The session with an id, while its program runs. */
  Optional<StdioSession> session(String id) {
    unclaimed.remove(id);
    return Optional.ofNullable(sessions.get(id)).filter(StdioSession::isAlive);
  }

  /** Ends a session; returns at once. */
  void close(String id) {
    StdioSession session = sessions.remove(id);
    if (session != null) {
      end(session);
    }
  }

  private static void end(StdioSession session) {
    Thread.startVirtualThread(session::close);
  }

  /**
   * Ends all sessions; returns when their programs have ended, those that others have begun to end
   * included: this process may end next.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      starting = null;
    }
    List<Thread> ends = running.stream().map(one -> Thread.startVirtualThread(one::close)).toList();
    try {
      for (Thread end : ends) {
        end.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
