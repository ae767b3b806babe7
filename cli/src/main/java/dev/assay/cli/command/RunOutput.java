package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Retry;
import dev.assay.cli.text.Terminal;
import dev.assay.cli.text.TerminalText;
import dev.assay.cli.text.Times;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints the output and the end of a run on the streams of this process. */
final class RunOutput {
  private final AssayClient client;
  private final String name;
  private final Retry retry;
  private boolean reached;
  private long offset;

  /**
   * The output of a run.
   *
   * @param reached whether the endpoint has answered before, so that a failure is worth a retry
   */
  RunOutput(AssayClient client, String name, Retry.Sleeper sleeper, boolean reached) {
    this.client = client;
    this.name = name;
    this.retry = new Retry(sleeper);
    this.reached = reached;
  }

  /**
   * Prints the output, with control characters replaced where it goes to a terminal.
   *
   * @return false if nobody reads standard output any more, as in a pipe to {@code head}
   */
  boolean print(boolean follow) throws ApiException, InterruptedException {
    return copy(System.out, Terminal.OUT.isThere(), follow);
  }

  /** Returns when the run has ended. */
  void await() throws ApiException, InterruptedException {
    var unused = copy(OutputStream.nullOutputStream(), /* clean= */ false, /* follow= */ true);
  }

  /** The run, after its end. */
  JsonNode end() throws ApiException, InterruptedException {
    while (true) {
      try {
        return client.run(name);
      } catch (ApiException e) {
        retry.await(e);
      }
    }
  }

  /** Reconnects when the connection breaks, and continues at the same byte. */
  private boolean copy(OutputStream to, boolean clean, boolean follow)
      throws ApiException, InterruptedException {
    OutputStream counting = new CountingStream(to);
    while (true) {
      long before = offset;
      ApiException failure;
      try (InputStream from = client.output(name, follow, offset)) {
        reached = true;
        long unused = TerminalText.copy(from, counting, clean);
        return true;
      } catch (ClosedOutputException e) {
        return false;
      } catch (IOException e) {
        failure = ApiException.disconnected("the connection broke", e);
      } catch (ApiException e) {
        failure = e;
      }
      if (!reached) {
        throw failure;
      }
      if (offset > before) {
        retry.reset();
      }
      retry.await(failure);
    }
  }

  /** Prints how a run ended, with its value or its traceback if there is one. */
  static void printEnd(PrintWriter to, JsonNode run) {
    JsonNode error = run.path("error");
    if (error.isObject()) {
      String traceback = error.path("traceback").asString("");
      to.println(
          TerminalText.printable(
              "GuardRefused".equals(error.path("type").asString())
                  ? error.path("message").asString()
                  : traceback.isEmpty()
                      ? error.path("type").asString()
                          + (error.has("code") ? " [" + error.path("code").asString() + "]" : "")
                          + ": "
                          + error.path("message").asString()
                      : traceback.stripTrailing()));
    }
    JsonNode value = run.path("value");
    if (value.isObject()) {
      to.println(
          TerminalText.printable(
              value.has("json")
                  ? "value: " + value.path("json")
                  : "value omitted: %d bytes".formatted(value.path("bytes").asLong())));
    }
    if (!"Succeeded".equals(run.path("phase").asString())) {
      to.println(
          TerminalText.printable(
              "assay: run %s: %s, %s%s"
                  .formatted(
                      run.path("name").asString(),
                      run.path("phase").asString(),
                      run.path("message").asString(run.path("reason").asString("")),
                      run.has("durationMs")
                          ? " (" + Times.duration(run.path("durationMs").asLong()) + ")"
                          : "")));
    }
    to.flush();
  }

  /** Nobody reads standard output any more. */
  private static final class ClosedOutputException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** Counts the bytes, for the offset to continue at. */
  private final class CountingStream extends OutputStream {
    private final OutputStream to;

    CountingStream(OutputStream to) {
      this.to = to;
    }

    @Override
    public void write(int value) throws IOException {
      to.write(value);
      offset++;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      to.write(bytes, from, length);
      offset += length;
    }

    @Override
    public void flush() throws IOException {
      to.flush();
      // Standard output throws no exceptions.
      if (to instanceof PrintStream printed && printed.checkError()) {
        throw new ClosedOutputException();
      }
    }
  }
}
