package dev.assay.operator.run.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.operator.run.model.Request.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What a supervisor answers in each state, from the table that its own tests hold it to. */
final class SupervisorAnswers {
  private static final Path TABLE = Path.of("..", "images", "protocol", "states.json");
  static final String ACCEPTED = "Accepted";

  /** The Pod has the job of the same run, signed by another request. */
  static final String BYTES_CHANGED = "BytesChanged";

  private static final Map<Kind, String> NAMES =
      Map.of(Kind.STAGE, "stage", Kind.START, "start", Kind.RETIRE, "refuse", Kind.ACK, "ack");

  private final JsonNode table;

  private SupervisorAnswers(JsonNode table) {
    this.table = table;
  }

  static SupervisorAnswers read() {
    try {
      return new SupervisorAnswers(new ObjectMapper().readTree(Files.readString(TABLE)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a supervisor answers: {@link #ACCEPTED}, or the code of a refusal. */
  String answer(World world, Request request) {
    Supervisor state = world.supervisor(request.pod());
    boolean isIts = world.runIn(request.pod()) == World.runOf(request.sender());
    String asked = "%s of %s run".formatted(NAMES.get(request.kind()), isIts ? "its" : "another");
    JsonNode answers = table.path(name(state)).path(asked);
    if (answers.size() != 1) {
      throw new IllegalStateException(
          "states.json must have exactly one answer of %s to %s".formatted(name(state), asked));
    }
    return answers.fieldNames().next();
  }

  private static String name(Supervisor state) {
    return switch (state) {
      case IDLE -> "Idle";
      case STAGED -> "Staged";
      case STARTING, RUNNING -> "Started";
      case FINISHED, START_FAILED -> "Finished";
      case REFUSED -> "Refused";
    };
  }
}
