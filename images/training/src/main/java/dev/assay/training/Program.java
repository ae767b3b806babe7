package dev.assay.training;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One of the programs of the control plane, as a process of this machine. */
final class Program implements AutoCloseable {
  /** Of a process that SIGTERM has ended: 128 and the number of the signal. */
  private static final int TERMINATED = 143;

  private static final Duration MAX_START = Duration.ofMinutes(2);
  private static final Duration BETWEEN_PROBES = Duration.ofMillis(10);
  private static final int MAX_STOP_SECONDS = 300;

  private final String name;
  private final Process process;
  private final Path log;
  private final long begun = System.nanoTime();
  private long readyAfterNanos;

  private Program(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a program.
   *
   * @param directory with its app.jar and java.options
   * @param jvmOptions further options of its JVM, which its image does not have
   */
  static Program start(
      Path directory, List<String> jvmOptions, Map<String, String> environment, Path log)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + directory.resolve("java.options"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-jar", directory.resolve("app.jar").toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    return new Program(directory.getFileName().toString(), builder.start(), log);
  }

  /** Waits until its readiness probe succeeds. */
  void awaitReady(int port) throws IOException, InterruptedException {
    HttpRequest probe =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/readyz".formatted(port))).build();
    long end = System.nanoTime() + MAX_START.toNanos();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (!isReady(http, probe)) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw failure("is not ready");
        }
        Thread.sleep(BETWEEN_PROBES);
      }
      readyAfterNanos = System.nanoTime() - begun;
    }
  }

  private static boolean isReady(HttpClient http, HttpRequest probe) throws InterruptedException {
    try {
      return http.send(probe, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** How long it took to become ready. */
  long readyAfterMillis() {
    return TimeUnit.NANOSECONDS.toMillis(readyAfterNanos);
  }

  /** The CPU time that it has taken. */
  long cpuMillis() {
    return process.info().totalCpuDuration().orElseThrow().toMillis();
  }

  /** Its resident memory. */
  long residentMebibytes() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }

  /** Ends it as Kubernetes does; returns when its cache is complete. */
  void stop() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(MAX_STOP_SECONDS, TimeUnit.SECONDS)) {
      throw failure("does not end");
    }
    if (process.exitValue() != TERMINATED) {
      throw failure("has ended with " + process.exitValue());
    }
  }

  private IllegalStateException failure(String what) throws IOException {
    return new IllegalStateException(
        "In training, the %s %s. Its log:%n%s".formatted(name, what, Files.readString(log)));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
