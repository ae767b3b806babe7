package dev.assay.local.isolation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A container that was started, with all of its processes. */
public final class ContainerProcess {
  private static final String STARTED = "started";
  private static final String STARTED_IN_MEMORY_GROUP = "started in a memory group";
  private static final String OUT_OF_MEMORY = "out of memory";
  private static final int TERMINATE = 'T';

  private final Process helper;
  private final OutputStream control;
  private final BufferedReader report;
  private volatile boolean keepsMemoryLimit;

  ContainerProcess(Process helper) {
    this.helper = helper;
    this.control = helper.getOutputStream();
    this.report =
        new BufferedReader(new InputStreamReader(helper.getErrorStream(), StandardCharsets.UTF_8));
  }

  /** The process that all of the container's are descendants of, and which is not one of them. */
  public long ancestor() {
    return helper.pid();
  }

  /** What the container writes to stdout and stderr; it ends after the last process has. */
  public InputStream output() {
    return helper.getInputStream();
  }

  /**
   * Waits until its program runs.
   *
   * @return why it could not be started; empty where it was
   */
  public Optional<String> awaitStart() {
    String line = reported();
    keepsMemoryLimit = STARTED_IN_MEMORY_GROUP.equals(line);
    if (keepsMemoryLimit || STARTED.equals(line)) {
      return Optional.empty();
    }
    return Optional.of(line == null ? "the container ended before it started" : line);
  }

  /** Whether the kernel enforces its memory limit. Known once it has started. */
  public boolean keepsMemoryLimit() {
    return keepsMemoryLimit;
  }

  private @Nullable String reported() {
    try {
      return report.readLine();
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * The exit code, after the last process has ended: 128 and the number of the signal that ended
   * the first one; 137 where it was killed.
   */
  public CompletableFuture<Integer> onExit() {
    return helper.onExit().thenApply(Process::exitValue);
  }

  /**
   * Whether the kernel has killed it for using more memory than its limit; to be asked once, after
   * it has started and ended.
   */
  public boolean ranOutOfMemory() {
    return OUT_OF_MEMORY.equals(reported());
  }

  /** Sends SIGTERM to the container's first process. */
  public void terminate() {
    synchronized (control) {
      try {
        control.write(TERMINATE);
        control.flush();
      } catch (IOException e) {
        // It has ended already.
      }
    }
  }

  /** Ends all processes of the container at once. */
  public void kill() {
    synchronized (control) {
      try {
        control.close();
      } catch (IOException e) {
        // It has ended already.
      }
    }
  }
}
