package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Checks that code mode of an endpoint does what it should, with runs of its own. */
final class CodeModeCheck {
  private static final int TIMEOUT_SECONDS = 60;
  private static final int MAX_OUTPUT = 4_096;

  /** A port that nobody listens at: where sockets can be opened, the connection is refused. */
  private static final String NETWORK =
      """
      import pandas as pd

      try:
          pd.read_csv("http://127.0.0.1:9/")
      except Exception as error:
          print("reached" if "refused" in str(error).lower() else "blocked")
      else:
          print("reached")
      """;

  private static final String LIBRARY =
      """
      import csv
      import json
      import pathlib

      import numpy
      import pandas
      from orchestrator.mcp import analytics, data, models, viz

      pathlib.Path("a.csv").write_text("x\\n1\\n3\\n")
      found = analytics.describe_data(data.load_csv("a.csv"))
      print(found["row_count"], found["statistics"]["x"]["mean"])
      """;

  private final AssayClient client;

  CodeModeCheck(AssayClient client) {
    this.client = client;
  }

  /** One thing that was checked. */
  record Finding(String name, boolean good, String sentence) {}

  /** All checks, in their order. */
  List<Finding> findings() throws ApiException, InterruptedException, IOException {
    List<Finding> findings = new ArrayList<>();
    findings.add(refused("guard", "import os", "import os\nprint(os.getcwd())\n"));
    findings.add(refused("eval", "eval", "print(eval(\"1 + 1\"))\n"));
    findings.add(printed("network", NETWORK, "blocked", "connections are blocked"));
    findings.add(printed("allow-list", LIBRARY, "2 2.0", "the library and its modules are there"));
    return findings;
  }

  /** Code that the guard has to refuse before its first instruction. */
  private Finding refused(String name, String what, String code)
      throws ApiException, InterruptedException {
    JsonNode run = run(code);
    boolean good =
        "GuardRefused".equals(run.path("reason").asString(""))
            && "No".equals(run.path("payloadStarted").asString(""));
    return new Finding(
        name, good, good ? "the guard refuses " + what : what + " was not refused: " + state(run));
  }

  private Finding printed(String name, String code, String expected, String sentence)
      throws ApiException, InterruptedException, IOException {
    JsonNode run = run(code);
    String text;
    try (InputStream output = client.output(run.path("name").asString(), false, 0)) {
      text = new String(output.readNBytes(MAX_OUTPUT), StandardCharsets.UTF_8).strip();
    }
    boolean good = "Succeeded".equals(run.path("phase").asString()) && text.equals(expected);
    return new Finding(
        name,
        good,
        good ? sentence : "expected '" + expected + "', got: " + state(run) + " " + text);
  }

  private static String state(JsonNode run) {
    return "%s, %s: %s"
        .formatted(
            run.path("name").asString(),
            run.path("phase").asString(),
            run.path("error").path("message").asString(run.path("message").asString("no message")));
  }

  private JsonNode run(String code) throws ApiException, InterruptedException {
    return client.createRun(
        AssayClient.object()
            .put("code", code)
            .put("mode", "code")
            .put("timeoutSeconds", TIMEOUT_SECONDS)
            .put("waitSeconds", TIMEOUT_SECONDS + TIMEOUT_SECONDS));
  }
}
