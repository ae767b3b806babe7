package dev.assay.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Commands that do not outlive this process. */
public final class ChildProcess {
  private ChildProcess() {}

  /**
   * Runs a command until its end, without an input.
   *
   * @param reader gets each line that the command prints
   * @return its exit code
   */
  public static int run(List<String> command, Consumer<String> reader)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread withThis = new Thread(() -> end(process));
    try {
      endWithThisProcess(withThis);
      process.getOutputStream().close();
      read(process, reader);
      return process.waitFor();
    } finally {
      end(process);
      forget(withThis);
    }
  }

  private static void endWithThisProcess(Thread hook) throws InterruptedException {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      throw new InterruptedException("this process is ending");
    }
  }

  private static void read(Process process, Consumer<String> reader) throws IOException {
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        Stream<String> all = lines.lines()) {
      all.forEach(reader);
    } catch (UncheckedIOException e) {
      // The pipe was closed: this process is ending.
      throw e.getCause();
    }
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
  }

  private static void forget(Thread hook) {
    try {
      boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process is ending, and the hook does its work.
    }
  }
}
