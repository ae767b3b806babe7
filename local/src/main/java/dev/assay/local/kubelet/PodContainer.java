package dev.assay.local.kubelet;

import dev.assay.local.isolation.ContainerProcess;
import dev.assay.local.isolation.ContainerSpec;
import dev.assay.local.kubelet.ContainerPhase.Running;
import dev.assay.local.kubelet.ContainerPhase.Terminated;
import dev.assay.local.kubelet.ContainerPhase.Waiting;
import io.fabric8.kubernetes.api.model.Container;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One container of a Pod and where it is in its life. Used by the Pod's thread alone; others hand
 * it what happens.
 */
final class PodContainer {
  private static final Logger LOG = LoggerFactory.getLogger(PodContainer.class);
  private static final int LOG_BYTES = 4 * 1024 * 1024;
  private static final int BUFFER_BYTES = 16 * 1024;
  private static final int KILLED = 137;

  private final Container container;
  private final Node node;
  private final Consumer<Runnable> podThread;
  private ContainerPhase phase = Waiting.creating();
  private @Nullable ContainerProcess process;
  private Optional<String> startProblem = Optional.empty();
  private boolean outOfMemory;
  private volatile @Nullable ContainerLog log;

  /**
   * A container that does not run yet.
   *
   * @param podThread runs what is handed to it on the Pod's thread
   */
  PodContainer(Container container, Node node, Consumer<Runnable> podThread) {
    this.container = container;
    this.node = node;
    this.podThread = podThread;
  }

  Container container() {
    return container;
  }

  /** What it has written; absent where it was never started. From any thread. */
  @Nullable ContainerLog log() {
    return log;
  }

  PodStatuses.ContainerFacts facts() {
    String image = container.getImage();
    return new PodStatuses.ContainerFacts(
        container.getName(),
        image,
        node.images().find(image).map(Images.Image::id).orElse(""),
        phase);
  }

  /** Says why it cannot be started yet. */
  void wait(String reason, String message) {
    phase = new Waiting(reason, message);
  }

  boolean isAlive() {
    return process != null && !(phase instanceof Terminated);
  }

  /**
   * Starts it.
   *
   * @param ended called on the Pod's thread after its last process has ended
   */
  void start(ContainerSpec spec, Path logFile, Runnable ended) throws IOException {
    ContainerLog newLog = new ContainerLog(logFile, LOG_BYTES);
    log = newLog;
    newLog.retain();
    ContainerProcess started = node.runtime().start(spec);
    process = started;
    String name = container.getName();
    Thread.ofVirtual().name("log-" + name).start(() -> copy(started.output(), newLog));
    Thread.ofVirtual().name("container-" + name).start(() -> follow(started, ended));
  }

  private void follow(ContainerProcess started, Runnable ended) {
    Optional<String> problem = started.awaitStart();
    podThread.accept(() -> started(started, problem));
    int exitCode = started.onExit().join();
    boolean killedForMemory = started.ranOutOfMemory();
    podThread.accept(
        () -> {
          outOfMemory |= killedForMemory;
          ended(started, exitCode);
          ended.run();
        });
  }

  private void started(ContainerProcess started, Optional<String> problem) {
    startProblem = problem;
    if (problem.isPresent()) {
      return;
    }
    phase = new Running(node.clock().instant());
    if (!started.keepsMemoryLimit()) {
      ContainerPlan.memoryLimit(container).ifPresent(bytes -> watchMemory(started, bytes));
    }
  }

  private void watchMemory(ContainerProcess started, long bytes) {
    node.memory().watch(started.ancestor(), bytes, () -> podThread.accept(this::memoryExceeded));
  }

  private void memoryExceeded() {
    if (isAlive()) {
      outOfMemory = true;
      kill();
    }
  }

  private void ended(ContainerProcess started, int exitCode) {
    node.memory().forget(started.ancestor());
    Instant now = node.clock().instant();
    Instant since = phase instanceof Running running ? running.since() : now;
    int code = outOfMemory ? KILLED : exitCode;
    phase = new Terminated(code, reason(code), startProblem.orElse(""), since, now);
  }

  private String reason(int exitCode) {
    if (startProblem.isPresent()) {
      return "StartError";
    }
    if (outOfMemory) {
      return "OOMKilled";
    }
    return exitCode == 0 ? "Completed" : "Error";
  }

  /** Sends SIGTERM. */
  void terminate() {
    if (process != null && isAlive()) {
      process.terminate();
    }
  }

  /** Ends all of its processes. */
  void kill() {
    if (process != null && isAlive()) {
      process.kill();
    }
  }

  /** Releases its log. */
  void releaseLog() {
    ContainerLog held = log;
    if (held != null) {
      log = null;
      held.release();
    }
  }

  private static void copy(InputStream output, ContainerLog log) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (output) {
      for (int read = output.read(buffer); read >= 0; read = output.read(buffer)) {
        log.append(buffer, read);
      }
    } catch (IOException e) {
      LOG.debug("A log ends early: {}", e.toString());
    }
    log.complete();
    log.release();
  }
}
