package dev.assay.cli.local;

import dev.assay.cli.MachineException;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.McpService;
import dev.assay.cli.text.Progress;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Local mode that starts in the background while its client is answered. */
final class Setup implements McpService, AutoCloseable {
  /** Shorter than clients wait for a reply, and longer than a start takes that fetches nothing. */
  private static final long MAX_WAIT_SECONDS = 20;

  /** For parts that are being started to end: less than clients wait between two signals. */
  private static final long MAX_CLOSE_MILLIS = 1_500;

  private static final String PREFIX = "EXECUTION ERROR: ";

  private final Function<String, Optional<JsonNode>> early;
  private final Progress progress;
  private final Work work;
  private final long waitSeconds;
  private final CompletableFuture<Endpoint> served = new CompletableFuture<>();
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private @Nullable Thread thread;
  private volatile boolean closed;

  /**
   * A setup that has not begun.
   *
   * @param early replies that need no local mode
   */
  Setup(Function<String, Optional<JsonNode>> early, Progress progress, Work work) {
    this(early, progress, work, MAX_WAIT_SECONDS);
  }

  Setup(
      Function<String, Optional<JsonNode>> early, Progress progress, Work work, long waitSeconds) {
    this.early = early;
    this.progress = progress;
    this.work = work;
    this.waitSeconds = waitSeconds;
  }

  /** What must be done before code can run. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it.
     *
     * @param serves is told where local mode serves, as soon as it does
     */
    Rest run(Consumer<Endpoint> serves) throws MachineException, IOException, InterruptedException;
  }

  /** What can be done after that. */
  @FunctionalInterface
  interface Rest {
    void run() throws InterruptedException;
  }

  /** Begins the work in the background, unless it has begun. */
  @Override
  public synchronized void start() {
    if (thread == null && !closed) {
      thread = Thread.ofPlatform().daemon().name("setup").start(this::complete);
    }
  }

  private void complete() {
    try {
      Rest rest = work.run(served::complete);
      failure.complete("");
      rest.run();
    } catch (MachineException | IOException | RuntimeException e) {
      if (closed) {
        return; // The parts that it needs were closed, too.
      }
      String sentence = sentence(e);
      progress.say("assay: " + sentence);
      failure.complete(sentence);
      served.completeExceptionally(
          new NotStartedException("Assay could not be started on this machine: " + sentence));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String sentence(Exception e) {
    return switch (e) {
      case MachineException lacking -> String.valueOf(lacking.getMessage());
      case IOException io ->
          MachineException.of(io)
              .map(MachineException::getMessage)
              .orElse("unexpected error: " + e);
      default -> "unexpected error: " + e;
    };
  }

  @Override
  public Optional<JsonNode> earlyReply(String message) {
    return serves() ? Optional.empty() : early.apply(message);
  }

  @Override
  public boolean serves() {
    return served.isDone() && !served.isCompletedExceptionally();
  }

  @Override
  public Endpoint endpoint() throws NotStartedException, InterruptedException {
    try {
      return served.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof NotStartedException failed) {
        throw failed;
      }
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Optional<String> obstacle() throws InterruptedException {
    try {
      String sentence = failure.get(waitSeconds, TimeUnit.SECONDS);
      return sentence.isEmpty()
          ? Optional.empty()
          : Optional.of(
              PREFIX + "Assay cannot run code on this machine: " + sentence + ". Nothing was run.");
    } catch (TimeoutException e) {
      return Optional.of(
          PREFIX
              + "Assay is still being set up: the first start prepares the Python libraries, which"
              + " can take minutes. Nothing was run: retry in a minute.");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean hasFailed() {
    return !failure.getNow("").isEmpty();
  }

  /** Stops the work, and reports nothing of it any more. */
  @Override
  public void close() {
    @Nullable Thread working;
    synchronized (this) {
      closed = true;
      working = thread;
    }
    if (working != null) {
      working.interrupt();
      try {
        // What it has begun to start, it ends itself.
        working.join(MAX_CLOSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
