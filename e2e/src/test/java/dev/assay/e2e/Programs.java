package dev.assay.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs of this machine. */
final class Programs {
  private static final long MAX_SECONDS = 180;

  private Programs() {}

  /**
   * The result of a program.
   *
   * @param exit its exit code
   * @param output its standard output
   * @param errors its standard error
   */
  record Finished(int exit, String output, String errors) {
    /** The output of a program that must succeed. */
    String orFail() {
      if (exit != 0) {
        throw new AssertionError("exit code " + exit + ": " + errors + output);
      }
      return output;
    }
  }

  static Finished run(List<String> command, String input, Map<String, String> environment) {
    return run(command, input, environment, MAX_SECONDS);
  }

  static Finished run(
      List<String> command, String input, Map<String, String> environment, long mostSeconds) {
    try {
      Path output = Files.createTempFile("assay-e2e", ".out");
      Path errors = Files.createTempFile("assay-e2e", ".err");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      }
      boolean ended = process.waitFor(mostSeconds, TimeUnit.SECONDS);
      process.destroyForcibly();
      Finished finished =
          new Finished(
              ended ? process.exitValue() : -1,
              new String(Files.readAllBytes(output), StandardCharsets.UTF_8),
              new String(Files.readAllBytes(errors), StandardCharsets.UTF_8));
      Files.delete(output);
      Files.delete(errors);
      return finished;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Runs kubectl with the credentials of the test run. */
  static Finished kubectl(String... arguments) {
    return kubectlWithInput("", arguments);
  }

  /** Runs kubectl with {@code input} as standard input. */
  static Finished kubectlWithInput(String input, String... arguments) {
    List<String> command = new ArrayList<>(List.of("kubectl"));
    command.addAll(List.of(arguments));
    return run(command, input, Map.of());
  }
}
