package dev.assay.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.cli.Assay;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.FakeApi;
import dev.assay.cli.client.FakeApi.Answer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** {@code assay run start}, and {@code assay doctor --code-mode}, with output as JSON. */
class RunStartCommandTest {
  private static final String RUN =
      """
      {"name":"run-1","phase":"%s","reason":"%s","message":"m","language":"python","caller":"alice",
       "runClass":"code","createdAt":"2026-11-20T12:00:00Z","cancelRequested":false%s}
      """;

  @TempDir private Path folder;
  private final FakeApi api = new FakeApi();

  @AfterEach
  void close() {
    api.close();
  }

  private record Result(int exit, String out, String err) {}

  private Result assay(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--endpoint", api.address()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = Assay.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    int exit = commandLine.execute(all.toArray(String[]::new));
    return new Result(exit, out.toString(), err.toString());
  }

  private Path intake(String yaml) throws IOException {
    return Files.writeString(folder.resolve("intake.yaml"), yaml);
  }

  private void ends(String phase, String reason, String more) {
    api.on("POST /api/v1/runs", 201, RUN.formatted("Pending", "Queued", ""));
    api.on("GET /api/v1/runs/run-1", 200, RUN.formatted(phase, reason, more));
    api.on(
        "GET /api/v1/runs/run-1/output?follow=true&offset=0",
        new Answer(200, "text/plain", "one\n"));
    api.on(
        "GET /api/v1/runs/run-1/output?follow=false&offset=0",
        new Answer(200, "text/plain", "one\n"));
    api.on("GET /api/v1/runs/run-1/artifacts", 200, "{\"items\":[]}");
  }

  private static String item(String path, String content) throws Exception {
    return "{\"path\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\",\"mediaType\":\"text/plain\",\"uri\":\"u\"}"
        .formatted(
            path,
            content.getBytes(UTF_8).length,
            HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(content.getBytes(UTF_8))));
  }

  @Test
  void anIntakeBecomesARunAndItsResult() throws Exception {
    ends("Succeeded", "Completed", ",\"durationMs\":1500");
    api.on(
        "GET /api/v1/runs/run-1/artifacts",
        200,
        "{\"items\":["
            + item(".work/generated/alice_run-1.py", "x")
            + ","
            + item(".work/logs/alice_run-1.err", "warned\n")
            + ","
            + item("reports/report.html", "<p>")
            + "]}");
    api.on(
        "GET /api/v1/runs/run-1/artifacts/.work/logs/alice_run-1.err",
        new Answer(200, "text/plain", "warned\n"));
    Files.writeString(folder.resolve("job.py"), "print('one')\n");
    Path file =
        intake(
            """
            agent: analyst
            task: Say one
            mode: code
            code_file: job.py
            datasets: [sales, budget]
            files: {lib/a.py: "x = 1"}
            timeout_seconds: 60
            run_class: code
            """);

    Result result = assay("run", "start", "--intake", file.toString(), "--output", "json");

    assertThat(result.exit).as(result.err).isZero();
    assertThat(api.asked().getFirst().body())
        .isEqualTo(
            "{\"code\":\"print('one')\\n\",\"mode\":\"code\",\"dataset\":\"sales\","
                + "\"datasets\":[\"budget\"],\"files\":{\"lib/a.py\":\"x = 1\"},"
                + "\"timeoutSeconds\":60,\"runClass\":\"code\"}");
    JsonNode json = AssayClient.json(result.out);
    assertThat(json.get("success").asBoolean()).isTrue();
    assertThat(json.get("code_path").asString()).isEqualTo(".work/generated/alice_run-1.py");
    assertThat(json.get("logs")).hasToString("{\"stdout\":\"one\\n\",\"stderr\":\"warned\\n\"}");
    assertThat(json.get("artifacts").size()).isEqualTo(1);
    assertThat(json.get("error").isNull()).isTrue();
    assertThat(json.get("duration_s").asDouble()).isEqualTo(1.5);
    assertThat(json.get("metadata"))
        .hasToString(
            "{\"execution_mode\":\"code\",\"run\":\"run-1\",\"agent\":\"analyst\","
                + "\"task\":\"Say one\",\"run_class\":\"code\"}");
  }

  @Test
  void standardIsTheDefault() throws IOException {
    ends("Succeeded", "Completed", "");

    Result result =
        assay("run", "start", "--intake", intake("code: print(1)").toString(), "-o", "json");

    assertThat(api.asked().getFirst().body()).isEqualTo("{\"code\":\"print(1)\"}");
    assertThat(AssayClient.json(result.out).at("/metadata/execution_mode").asString())
        .isEqualTo("standard");
  }

  @Test
  void aModeThatTheFileContradictsIsRefused() throws IOException {
    Path file = intake("{code: a, mode: legacy}");

    Result result = assay("run", "start", "--mode", "code", "--intake", file.toString());

    assertThat(result.exit).isEqualTo(2);
    assertThat(result.err).contains("--mode is code, and the mode of", "is standard");
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void aWrongIntakeIsNamedAndNothingIsStarted() throws IOException {
    Result result = assay("run", "start", "--intake", intake("{code: a, colour: red}").toString());

    assertThat(result.exit).isEqualTo(2);
    assertThat(result.err).contains("intake.yaml has an unknown key 'colour'");
    assertThat(assay("run", "start", "--intake", folder + "/no.yaml").err)
        .contains("no.yaml cannot be read");
    assertThat(assay("run", "start", "--intake", intake("code_file: no.py").toString()).err)
        .contains("no.py cannot be read");
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void aRefusalOfTheGuardIsAnErrorOfTheCode() throws IOException {
    ends(
        "Failed",
        "GuardRefused",
        ",\"error\":{\"type\":\"GuardRefused\",\"message\":\"Code safety validation failed:\\n- line"
            + " 1\"}");

    Result result =
        assay(
            "run",
            "start",
            "--mode",
            "code",
            "--intake",
            intake("code: import os").toString(),
            "-o",
            "json");

    assertThat(result.exit).isEqualTo(1);
    JsonNode json = AssayClient.json(result.out);
    assertThat(json.get("success").asBoolean()).isFalse();
    assertThat(json.get("error").asString()).startsWith("Code safety validation failed:");
    assertThat(json.get("code_path").asString()).isEqualTo("assay://runs/run-1/code");
  }

  @Test
  void theFilesOfTheRunAreSaved() throws Exception {
    ends("Failed", "CodeError", ",\"error\":{\"type\":\"E\",\"message\":\"m\"}");
    api.on(
        "GET /api/v1/runs/run-1/artifacts",
        200,
        "{\"items\":[" + item("reports/a.txt", "a") + "]}");
    api.on("GET /api/v1/runs/run-1/artifacts/reports/a.txt", new Answer(200, "text/plain", "a"));
    Path out = folder.resolve("out");

    Result result =
        assay(
            "run",
            "start",
            "--intake",
            intake("code: a").toString(),
            "--output",
            "json",
            "--artifacts",
            out.toString());

    assertThat(result.exit).isEqualTo(1);
    assertThat(out.resolve("reports/a.txt")).hasContent("a");
    assertThat(result.err).contains("saved ").contains("a.txt, 1 bytes");
  }

  @Test
  void aRunStillNeedsItsCode() {
    assertThat(assay("run").exit).isEqualTo(2);
    assertThat(assay("run").err).contains("FILE", "-c=CODE");
  }

  @Test
  void codeModeOfAnEndpointIsChecked() {
    String refused = RUN.formatted("Failed", "GuardRefused", ",\"payloadStarted\":\"No\"");
    String succeeded = RUN.formatted("Succeeded", "Completed", "");
    api.on(
        "POST /api/v1/runs",
        new Answer(201, "application/json", refused),
        new Answer(201, "application/json", refused),
        new Answer(201, "application/json", succeeded));
    api.on(
        "GET /api/v1/runs/run-1/output?follow=false&offset=0",
        new Answer(200, "text/plain", "blocked\n"),
        new Answer(200, "text/plain", "2 2.0\n"));

    Result result = assay("doctor", "--code-mode");

    assertThat(result.out)
        .isEqualTo(
            """
            ok       guard: the guard refuses import os
            ok       eval: the guard refuses eval
            ok       network: connections are blocked
            ok       allow-list: the library and its modules are there
            """);
    assertThat(result.exit).isZero();
  }

  @Test
  void codeModeThatDoesNotWorkIsSaid() {
    api.on(
        "POST /api/v1/runs",
        new Answer(201, "application/json", RUN.formatted("Succeeded", "Completed", "")));
    api.on(
        "GET /api/v1/runs/run-1/output?follow=false&offset=0",
        new Answer(200, "text/plain", "reached\n"));

    Result result = assay("doctor", "--code-mode", "-o", "json");

    assertThat(result.exit).isEqualTo(4);
    assertThat(AssayClient.json(result.out).at("/findings/0/message").asString())
        .isEqualTo("import os was not refused: run-1, Succeeded: m");
    assertThat(AssayClient.json(result.out).at("/findings").valueStream())
        .noneMatch(finding -> finding.get("ok").asBoolean());
  }
}
