package dev.assay.cli.local;

import dev.assay.cli.MachineException;
import dev.assay.cli.client.McpBridge;
import dev.assay.cli.text.Progress;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The work to do before code can run, in the background while the client is served. */
final class Setup implements McpBridge.Readiness, AutoCloseable {
  /** Shorter than clients wait for a reply, and longer than a start takes that fetches nothing. */
  private static final long MAX_WAIT_SECONDS = 20;

  private static final String PREFIX = "EXECUTION ERROR: ";

  private final Progress progress;
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final long waitSeconds;
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  Setup(Progress progress) {
    this(progress, MAX_WAIT_SECONDS);
  }

  Setup(Progress progress, long waitSeconds) {
    this.progress = progress;
    this.waitSeconds = waitSeconds;
  }

  /** What must be done before code can run. */
  @FunctionalInterface
  interface Work {
    Rest run() throws MachineException, IOException, InterruptedException;
  }

  /** What can be done after that. */
  @FunctionalInterface
  interface Rest {
    void run() throws InterruptedException;
  }

  /** Starts the work in the background. */
  void begin(Work work) {
    thread = Thread.ofPlatform().daemon().name("setup").start(() -> complete(work));
  }

  private void complete(Work work) {
    try {
      Rest rest = work.run();
      failure.complete("");
      rest.run();
    } catch (MachineException | IOException | RuntimeException e) {
      if (closed) {
        return; // The parts that it needs were closed, too.
      }
      String sentence =
          e instanceof MachineException lacking
              ? String.valueOf(lacking.getMessage())
              : "unexpected error: " + e;
      progress.say("assay: " + sentence);
      failure.complete(sentence);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
              + "Assay is still being set up: the first start fetches Python libraries, which takes"
              + " some minutes. Nothing was run: retry in a minute.");
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
    closed = true;
    Thread working = thread;
    if (working != null) {
      working.interrupt();
    }
  }
}
