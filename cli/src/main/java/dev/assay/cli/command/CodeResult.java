package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The result of {@code assay run start} as JSON: that of the tool, with the intake's own words. */
final class CodeResult {
  private static final int MAX_LOG = 1 << 20;
  private static final double MILLIS = 1_000;
  private static final String WORK = ".work/";

  private final AssayClient client;
  private final JsonNode run;
  private final JsonNode artifacts;

  /**
   * The result of a run that has ended.
   *
   * @param artifacts the list of its files
   */
  CodeResult(AssayClient client, JsonNode run, JsonNode artifacts) {
    this.client = client;
    this.run = run;
    this.artifacts = artifacts;
  }

  ObjectNode json(String mode, Intake intake)
      throws ApiException, InterruptedException, IOException {
    String name = run.path("name").asString();
    ObjectNode json = AssayClient.object();
    json.put("success", "Succeeded".equals(run.path("phase").asString()));
    json.put("code_path", path("generated/", "assay://runs/" + name + "/code"));
    json.putObject("logs").put("stdout", stdout(name)).put("stderr", stderr(name));
    ArrayNode files = json.putArray("artifacts");
    for (JsonNode artifact : artifacts.path("items")) {
      if (!artifact.path("path").asString().startsWith(WORK)) {
        files.add(artifact);
      }
    }
    @Nullable String error = error();
    if (error == null) {
      json.putNull("error");
    } else {
      json.put("error", error);
    }
    json.put("duration_s", run.path("durationMs").asLong(0) / MILLIS);
    ObjectNode metadata = json.putObject("metadata");
    metadata.put("execution_mode", mode).put("run", name);
    metadata.put(
        "agent", intake.agent() == null ? run.path("caller").asString("") : intake.agent());
    if (intake.task() != null) {
      metadata.put("task", intake.task());
    }
    metadata.put("run_class", run.path("runClass").asString(""));
    return json;
  }

  private @Nullable String error() {
    if ("Succeeded".equals(run.path("phase").asString())) {
      return null;
    }
    JsonNode error = run.path("error");
    if (!error.isObject()) {
      return run.path("message").asString(run.path("phase").asString());
    }
    String message = error.path("message").asString("");
    return "GuardRefused".equals(error.path("type").asString())
        ? message
        : error.path("type").asString() + ": " + message;
  }

  private String path(String folder, String otherwise) {
    for (JsonNode artifact : artifacts.path("items")) {
      String path = artifact.path("path").asString();
      if (path.startsWith(WORK + folder)) {
        return path;
      }
    }
    return otherwise;
  }

  private String stdout(String name) throws ApiException, InterruptedException, IOException {
    try (InputStream output = client.output(name, false, 0)) {
      return text(output);
    }
  }

  private String stderr(String name) throws ApiException, InterruptedException, IOException {
    String path = path("logs/", "");
    if (path.isEmpty()) {
      return "";
    }
    try (InputStream log = client.artifact(name, path, 0)) {
      return text(log);
    }
  }

  private static String text(InputStream from) throws IOException {
    return new String(from.readNBytes(MAX_LOG), StandardCharsets.UTF_8);
  }
}
