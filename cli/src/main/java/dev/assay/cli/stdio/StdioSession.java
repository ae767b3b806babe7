package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.text.TerminalText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** A session of MCP: one process of a program, which has no other. */
final class StdioSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StdioSession.class);
  private static final int MAX_MESSAGE_BYTES = 18 << 20;
  private static final int MAX_ERROR_BYTES = 16 << 10;

  /** Of messages that nobody has asked for; the oldest are dropped. */
  private static final int MAX_UNASKED = 64;

  private static final int MAX_UNASKED_BYTES = 1 << 20;

  /** Of an id in a message for people. */
  private static final int MAX_ID = 64;

  /** How long a program may not read. */
  private static final Duration WRITE_PATIENCE = Duration.ofSeconds(10);

  /** How long a program has to end by itself, and then by a signal. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** How long the system has to end a program that was killed, on a machine without idle time. */
  private static final Duration KILL_PATIENCE = Duration.ofSeconds(10);

  private final String name;
  private final Process process;
  private final Map<JsonNode, CompletableFuture<Optional<RpcMessage>>> pending =
      new ConcurrentHashMap<>();
  private final LinkedBlockingDeque<RpcMessage> unasked = new LinkedBlockingDeque<>(MAX_UNASKED);
  private final ReentrantLock writing = new ReentrantLock();
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private volatile String lastError = "";
  private volatile boolean closed;
  private volatile boolean over;
  private volatile long used = System.nanoTime();

  /** The program has ended. */
  static final class EndedException extends IOException {
    private static final long serialVersionUID = 1L;

    EndedException(String why) {
      super("The program of the server has ended (" + why + ")");
    }
  }

  /** The program does not read what it is sent. */
  static final class NotReadingException extends IOException {
    private static final long serialVersionUID = 1L;

    NotReadingException() {
      super("The program of the server does not read its standard input");
    }
  }

  /** Another request with the same id waits for its reply: one reply cannot be for both. */
  static final class DuplicateIdException extends IOException {
    private static final long serialVersionUID = 1L;

    DuplicateIdException(JsonNode id) {
      super("A request with the id " + abbreviated(id) + " is in progress in this session");
    }

    private static String abbreviated(JsonNode id) {
      String text = id.toString();
      return text.length() <= MAX_ID ? text : text.substring(0, MAX_ID) + "…";
    }
  }

  private StdioSession(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /**
   * Starts a program.
   *
   * @param name of the server, for the log
   * @param onEnd called with a sentence when the program has ended without being asked to
   */
  static StdioSession start(String name, StdioCommand command, Consumer<String> onEnd)
      throws IOException {
    return of(name, command.start(), onEnd);
  }

  /** A session with a process that has been started. */
  static StdioSession of(String name, Process process, Consumer<String> onEnd) {
    StdioSession session = new StdioSession(name, process);
    Thread errors = Thread.startVirtualThread(session::readErrors);
    Thread.startVirtualThread(() -> session.readMessages(errors, onEnd));
    return session;
  }

  /** Reads what people are told, in pieces where a line is long. */
  private void readErrors() {
    try (InputStream errors = process.getErrorStream()) {
      byte[] piece = new byte[MAX_ERROR_BYTES];
      for (int length = errors.read(piece); length >= 0; length = errors.read(piece)) {
        new String(piece, 0, length, UTF_8)
            .lines()
            .map(line -> TerminalText.printable(line.strip()))
            .filter(line -> !line.isEmpty())
            .forEach(
                line -> {
                  lastError = line;
                  LOG.debug("{}: {}", name, line);
                });
      }
    } catch (IOException e) {
      // The program has ended.
    }
  }

  private void readMessages(Thread errors, Consumer<String> onEnd) {
    // Of an Error, such as that there is no memory for a message, too.
    String why = "its standard output cannot be read";
    try {
      BoundedLines lines = new BoundedLines(process.getInputStream(), MAX_MESSAGE_BYTES);
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        receive(line);
      }
      why = "its standard output is closed";
      if (process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        why = "exit code " + process.exitValue();
      }
      errors.join(GRACE);
    } catch (IOException e) {
      why = String.valueOf(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      finish(why, onEnd);
    }
  }

  private void finish(String why, Consumer<String> onEnd) {
    boolean wasAsked = closed;
    end.complete(why);
    pending.values().forEach(reply -> reply.completeExceptionally(ended()));
    close();
    if (!wasAsked) {
      onEnd.accept("it has ended (" + why + ")" + (lastError.isEmpty() ? "" : ": " + lastError));
    }
  }

  private void receive(byte[] line) {
    Optional<RpcMessage> read = RpcMessage.read(line);
    if (read.isEmpty()) {
      if (line.length > 0) {
        LOG.debug("{} has written a line that is no message", name);
      }
      return;
    }
    RpcMessage message = read.get();
    if (message.isResponse()) {
      CompletableFuture<Optional<RpcMessage>> reply = pending.remove(message.id());
      if (reply != null) {
        reply.complete(read);
      }
      return;
    }
    if (line.length > MAX_UNASKED_BYTES) {
      LOG.debug("{} has sent a long message that nobody asked for, which is dropped", name);
      return;
    }
    while (!unasked.offer(message)) {
      unasked.poll();
    }
  }

  boolean isAlive() {
    return !end.isDone() && !closed;
  }

  /** Whether nothing of its program is left to be ended. */
  boolean isOver() {
    return over;
  }

  /** When it was last used, of System.nanoTime(); now, while a request is not replied to. */
  long used() {
    return pending.isEmpty() ? used : System.nanoTime();
  }

  /**
   * Sends a request. Its reply is empty if the request was cancelled; it fails when the program
   * ends.
   *
   * @throws DuplicateIdException if one with its id has no reply yet
   * @throws IOException if it was not sent as a whole, and so has no effect
   */
  CompletableFuture<Optional<RpcMessage>> ask(RpcMessage request)
      throws IOException, InterruptedException {
    CompletableFuture<Optional<RpcMessage>> reply = new CompletableFuture<>();
    if (pending.putIfAbsent(request.id(), reply) != null) {
      throw new DuplicateIdException(request.id());
    }
    try {
      write(request);
    } catch (IOException e) {
      pending.remove(request.id());
      throw e;
    }
    if (end.isDone()) {
      reply.completeExceptionally(ended());
    }
    return reply;
  }

  /**
   * Sends a notification or a response.
   *
   * @throws IOException if it was not sent as a whole
   */
  void tell(RpcMessage message) throws IOException, InterruptedException {
    write(message);
    message.cancelledId().map(pending::remove).ifPresent(reply -> reply.complete(Optional.empty()));
  }

  private void write(RpcMessage message) throws IOException, InterruptedException {
    used = System.nanoTime();
    if (!writing.tryLock(WRITE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new NotReadingException();
    }
    try {
      OutputStream in = process.getOutputStream();
      in.write(message.line());
      in.write('\n');
      in.flush();
    } catch (IOException e) {
      throw ended();
    } finally {
      writing.unlock();
    }
  }

  private EndedException ended() {
    return new EndedException(end.getNow("its standard input is closed"));
  }

  /** The next message that is no response; empty if there is none in time. */
  Optional<RpcMessage> nextUnasked(Duration atMost) throws InterruptedException {
    used = System.nanoTime();
    return Optional.ofNullable(unasked.poll(atMost.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** Puts back what could not be delivered. */
  void putBack(RpcMessage message) {
    var unused = unasked.offerFirst(message);
  }

  /**
   * Ends the program with all that it has started; returns when it has ended, whoever has begun to
   * end it. Java offers no process groups: what was started by a process that has exited by itself
   * has another parent, and is left.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    // Before they have another parent.
    List<ProcessHandle> started = withDescendants(List.of(process.toHandle()));
    try {
      // Whoever is being written to now keeps its lock, and so the stream is not closed first.
      if (writing.tryLock()) {
        try {
          process.getOutputStream().close();
        } finally {
          writing.unlock();
        }
        await(started, GRACE);
      }
    } catch (IOException e) {
      // It has ended already.
    }
    // With what they have started meanwhile: a launcher may have been about to start its server.
    started = withDescendants(started);
    started.forEach(ProcessHandle::destroy);
    await(started, GRACE);
    started = withDescendants(started);
    started.forEach(ProcessHandle::destroyForcibly);
    await(started, KILL_PATIENCE);
    over = true;
  }

  private static List<ProcessHandle> withDescendants(List<ProcessHandle> processes) {
    return processes.stream()
        .flatMap(one -> Stream.concat(one.descendants(), Stream.of(one)))
        .distinct()
        .toList();
  }

  private static void await(List<ProcessHandle> processes, Duration atMost) {
    CompletableFuture.allOf(
            processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, atMost.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
