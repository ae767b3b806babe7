package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Endpoint;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.JsonNode;

/** A run that a command waits for, and cancels if the command is interrupted. */
final class FollowedRun {
  private static final Duration CANCEL = Duration.ofSeconds(10);

  private FollowedRun() {}

  /**
   * Waits for the end of a run.
   *
   * @param prints whether its output is printed as it comes
   * @param err for what to do if the connection is lost for good
   * @return the run, after its end
   */
  static JsonNode follow(
      AssayClient client, Endpoint endpoint, String name, boolean prints, PrintWriter err)
      throws ApiException, InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread interrupted = new Thread(() -> cancelUnless(over, endpoint, name));
    Runtime.getRuntime().addShutdownHook(interrupted);
    RunOutput run = new RunOutput(client, name, Thread::sleep, /* reached= */ true);
    try {
      // A run whose output nobody reads any more goes on, and still has an exit code.
      if (!prints || !run.print(/* follow= */ true)) {
        run.await();
      }
      return run.end();
    } catch (ApiException e) {
      err.printf(
          "assay: the run may still be running: 'assay logs -f %s' follows it, 'assay cancel %s' stops it%n",
          name, name);
      throw e;
    } finally {
      over.set(true);
    }
  }

  /**
   * Cancels the run of a command that was interrupted. The client of the command may be closed by
   * then, and the process should end soon.
   */
  private static void cancelUnless(AtomicBoolean over, Endpoint endpoint, String name) {
    if (over.get()) {
      return;
    }
    try (AssayClient client = new AssayClient(endpoint, CANCEL)) {
      var unused = client.cancel(name);
    } catch (ApiException e) {
      System.err.println("assay: the run " + name + " was not cancelled: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
