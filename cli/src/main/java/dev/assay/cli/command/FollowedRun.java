package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Endpoint;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run that a command creates and waits for, and cancels if the command is interrupted: also
 * before the endpoint has told its name, by the key of its creation.
 */
final class FollowedRun {
  private static final Duration CANCEL = Duration.ofSeconds(10);

  private final AssayClient client;
  private final Endpoint endpoint;
  private final ObjectNode wanted;
  private final String key = UUID.randomUUID().toString();
  private volatile @Nullable String name;
  private volatile boolean over;

  /**
   * A run that is not created yet.
   *
   * @param wanted what is sent to create it
   */
  FollowedRun(AssayClient client, Endpoint endpoint, ObjectNode wanted) {
    this.client = client;
    this.endpoint = endpoint;
    this.wanted = wanted;
  }

  /** Creates the run; returns it as it is then. */
  JsonNode create() throws ApiException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::cancelUnlessOver));
    try {
      JsonNode created = client.createRun(wanted, key);
      name = created.path("name").asString();
      return created;
    } catch (ApiException e) {
      over = true;
      throw e;
    }
  }

  /** Leaves the run to itself. */
  void detach() {
    over = true;
  }

  /**
   * Waits for the end of the run.
   *
   * @param prints whether its output is printed as it comes
   * @param err for what to do if the connection is lost for good
   * @return the run, after its end
   */
  JsonNode follow(boolean prints, PrintWriter err) throws ApiException, InterruptedException {
    String created = String.valueOf(name);
    RunOutput run = new RunOutput(client, created, Thread::sleep, /* reached= */ true);
    try {
      // A run whose output nobody reads any more goes on, and still has an exit code.
      if (!prints || !run.print(/* follow= */ true)) {
        run.await();
      }
      return run.end();
    } catch (ApiException e) {
      err.printf(
          "assay: the run may still be running: 'assay logs -f %s' follows it, 'assay cancel %s' stops it%n",
          created, created);
      throw e;
    } finally {
      over = true;
    }
  }

  /**
   * Cancels the run of a command that was interrupted. The client of the command may be closed by
   * then, and the process should end soon. A repetition of the request that creates the run tells
   * its name; if the first did not arrive, it is a run that ends at once.
   */
  void cancelUnlessOver() {
    if (over) {
      return;
    }
    String known = name;
    try (AssayClient own = new AssayClient(endpoint, CANCEL)) {
      if (known == null) {
        known = own.createRun(wanted, key).path("name").asString();
      }
      var unused = own.cancel(known);
    } catch (ApiException e) {
      System.err.println(
          "assay: the run "
              + (known == null ? "" : known + " ")
              + "was not cancelled: "
              + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
