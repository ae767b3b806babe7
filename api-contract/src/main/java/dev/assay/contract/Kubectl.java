package dev.assay.contract;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The real kubectl.
 *
 * @param program its path
 * @param options the first options of each call, such as {@code --server}
 */
public record Kubectl(Path program, List<String> options) {
  private static final long MAX_SECONDS = 120;

  /** The result of a call. */
  record Finished(int exit, String output, String errors) {
    String orFail() {
      if (exit != 0) {
        throw new AssertionError("exit code " + exit + ": " + errors + output);
      }
      return output;
    }
  }

  /** The kubectl of the development cluster, otherwise the first in a search path. */
  public static Optional<Path> find() {
    String path = System.getenv("PATH");
    return Stream.concat(
            Stream.of("../.dev/bin"),
            Stream.of((path == null ? "" : path).split(File.pathSeparator, -1)))
        .map(folder -> Path.of(folder, "kubectl").toAbsolutePath())
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Runs kubectl to its end, with this standard input. */
  Finished run(String input, String... arguments) {
    try {
      Path output = Files.createTempFile("kubectl", ".out");
      Path errors = Files.createTempFile("kubectl", ".err");
      try {
        Process process =
            new ProcessBuilder(command(arguments))
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        try (var stdin = process.getOutputStream()) {
          stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        boolean ended = process.waitFor(MAX_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        return new Finished(
            ended ? process.exitValue() : -1, Files.readString(output), Files.readString(errors));
      } finally {
        Files.delete(output);
        Files.delete(errors);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Starts a call whose lines are read while it runs. */
  Running start(String... arguments) {
    try {
      Process process = new ProcessBuilder(command(arguments)).redirectErrorStream(true).start();
      CompletableFuture.delayedExecutor(MAX_SECONDS, TimeUnit.SECONDS)
          .execute(process::destroyForcibly);
      return new Running(process, process.inputReader(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> command(String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(options);
    command.addAll(List.of(arguments));
    return command;
  }

  /** A call in progress. */
  record Running(Process process, BufferedReader lines) implements AutoCloseable {
    /** The next line that contains a text; fails if the output ends before. */
    String lineWith(String text) {
      List<String> seen = new ArrayList<>();
      try {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          seen.add(line);
          if (line.contains(text)) {
            return line;
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      throw new AssertionError("no line with " + text + " in " + seen);
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
