package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.Terminal;
import dev.assay.cli.text.TerminalText;
import dev.assay.cli.text.Times;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** What a run prints and how it ends, on this process' own streams. */
final class RunOutput {
  private static final int MOST_ATTEMPTS = 20;

  private RunOutput() {}

  /**
   * Copies the output until the run has ended. A connection that breaks is made again where it
   * broke.
   *
   * @param shown whether to print it, or only to wait for the end
   */
  static void follow(AssayClient client, String name, boolean shown)
      throws ApiException, InterruptedException {
    OutputStream to = shown ? System.out : OutputStream.nullOutputStream();
    CountingStream counted = new CountingStream(to);
    for (int attempt = 1; ; attempt++) {
      try (InputStream from = client.output(name, true, counted.count())) {
        long unused = TerminalText.copy(from, counted, shown && Terminal.OUT.isThere());
        return;
      } catch (IOException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw new ApiException("the connection broke again and again", e);
        }
      }
    }
  }

  /** Copies what there is now. */
  static void show(AssayClient client, String name)
      throws ApiException, InterruptedException, IOException {
    try (InputStream from = client.output(name, false, 0)) {
      long unused = TerminalText.copy(from, System.out, Terminal.OUT.isThere());
    }
  }

  /** Says how a run ended, with the traceback where there is one; nothing of a good end. */
  static void tellEnd(PrintWriter to, JsonNode run) {
    JsonNode error = run.path("error");
    if (error.isObject()) {
      String traceback = error.path("traceback").asString("");
      to.println(
          traceback.isEmpty()
              ? error.path("type").asString() + ": " + error.path("message").asString()
              : traceback.stripTrailing());
    }
    if (!"Succeeded".equals(run.path("phase").asString())) {
      to.println(
          "assay: run %s: %s, %s%s"
              .formatted(
                  run.path("name").asString(),
                  run.path("phase").asString(),
                  run.path("message").asString(run.path("reason").asString("")),
                  run.has("durationMs")
                      ? " (" + Times.duration(run.path("durationMs").asLong()) + ")"
                      : ""));
    }
    to.flush();
  }

  /** Knows from where to go on. */
  private static final class CountingStream extends OutputStream {
    private final OutputStream to;
    private long count;

    CountingStream(OutputStream to) {
      this.to = to;
    }

    long count() {
      return count;
    }

    @Override
    public void write(int value) throws IOException {
      to.write(value);
      count++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      to.write(bytes, offset, length);
      count += length;
    }

    @Override
    public void flush() throws IOException {
      to.flush();
    }
  }
}
