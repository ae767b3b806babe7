package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts as agents, clients of REST and people at a terminal execute them. */
@Everywhere
class CodeExecutionE2E {
  private static final String TOOL = "code_execution";
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};
  private static final Path TROUBLESHOOTING = Path.of("../docs/troubleshoot.md");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "setTimeout(() => 1)",
        "require('fs')",
        "fetch('http://a')",
        "call_tool('none', 'none').result.total",
        "new Promise(() => {})",
        "const x: number = 42; x",
        "function f() { return await 1; } f()",
        "() => 1",
        "'x'.repeat(300000)"
      })
  void theMessageOfAnErrorIsOneOfTroubleshooting(String code, Assay assay) throws IOException {
    requireDocumented(call(assay, Rest.JSON.createObjectNode().put("code", code).toString()));
  }

  /** A row of the page has the code, and the message with three dots where it varies. */
  private static void requireDocumented(JsonNode reply) throws IOException {
    String code = "`" + reply.at("/error/code").asText() + "`:";
    String message = reply.at("/error/message").asText();
    assertThat(Files.readAllLines(TROUBLESHOOTING))
        .as("%s %s", code, message)
        .anyMatch(row -> row.startsWith("| " + code) && isIn(row, message));
  }

  private static boolean isIn(String row, String message) {
    return QUOTED
        .matcher(row.split("\\| ", -1)[1])
        .results()
        .map(quoted -> Pattern.quote(quoted.group(1)).replace("...", "\\E.*\\Q"))
        .anyMatch(message::matches);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | INVALID_ARGS | 'code'",
        "{CODE, 'script': 'a'} | INVALID_ARGS | 'script'",
        "{'script': 'no-such-script'} | SCRIPT_NOT_FOUND | 'no-such-script'",
        "{CODE, 'input': 'text'} | INVALID_ARGS | 'input'",
        "{CODE, 'input': [1]} | INVALID_ARGS | 'input'",
        "{CODE, 'language': 'ruby'} | INVALID_LANGUAGE | 'language'",
        "{CODE, 'options': 'fast'} | INVALID_OPTIONS | 'options'",
        "{CODE, 'options': {'timeout_ms': 1.5}} | INVALID_OPTIONS | 'timeout_ms'",
        "{CODE, 'options': {'timeout_ms': 600001}} | INVALID_OPTIONS | 'timeout_ms'",
        "{CODE, 'options': {'max_tool_calls': -1}} | INVALID_OPTIONS | 'max_tool_calls'",
        "{CODE, 'options': {'allowed_servers': [1]}} | INVALID_OPTIONS | 'allowed_servers[0]'",
        "{CODE, 'options': {'max_parallel': 33}} | INVALID_OPTIONS | 'max_parallel'",
      })
  void aWrongCallIsOneSentenceThatNamesTheFieldAndLeavesNoRun(
      String arguments, String code, String named, Assay assay) {
    String script = "/* " + UUID.randomUUID() + " */ 1";
    JsonNode reply =
        call(assay, arguments.replace('\'', '"').replace("CODE", "\"code\": \"" + script + "\""));

    assertThat(reply.at("/error/code").asText()).as(reply.toString()).isEqualTo(code);
    assertThat(reply.at("/error/message").asText()).contains(named).doesNotContain("\n");
    assertThat(reply.has("execution_id")).isFalse();
    assertThat(assay.runs().inNamespace(assay.namespace()).list().getItems())
        .extracting(run -> run.getSpec().code())
        .doesNotContain(script);
  }

  @Test
  void aReplyHasTheValueWhatWasPrintedAndTheNameOfTheRun(Assay assay) {
    Reply reply =
        assay.call(
            TOOL, Map.of("code", "console.log('a'); ({n: input.n + 1})", "input", Map.of("n", 1)));

    assertThat(reply.isError()).as(reply.text()).isFalse();
    JsonNode result = reply.document();
    assertThat(result.path("value")).hasToString("{\"n\":2}");
    assertThat(result.path("logs")).hasToString("[\"a\"]");
    assertThat(result.at("/stats/duration_ms").isIntegralNumber()).isTrue();
    assertThat(json(reply.text())).isEqualTo(result);
    assertThat(assay.call("get_run", Map.of("name", result.path("execution_id").asText())).text())
        .contains("Succeeded");
  }

  @Test
  void aValueThatNoStatusHoldsIsReturnedWhole(Assay assay) {
    assertThat(call(assay, "{\"code\": \"'v'.repeat(100000)\"}").path("value").asText())
        .hasSize(100_000);
  }

  @Test
  void aScriptWithoutAnEndEndsAtItsLimit(Assay assay) throws IOException {
    JsonNode reply =
        call(assay, "{\"code\": \"while(true) {}\", \"options\": {\"timeout_ms\": 1000}}");

    assertThat(reply.at("/error/code").asText()).isEqualTo("TIMEOUT");
    assertThat(reply.at("/error/message").asText()).isEqualTo("JavaScript execution timed out");
    requireDocumented(reply);
  }

  @Test
  void aFullHeapHasACode(Assay assay) throws IOException {
    JsonNode reply =
        call(assay, "{\"code\": \"const all = []; for (;;) all.push({a: all.length})\"}");

    assertThat(reply.at("/error/code").asText()).isEqualTo("MEMORY_EXCEEDED");
    requireDocumented(reply);
  }

  @Test
  void restAnswersWithTheValueUnderBothNames(Assay assay) {
    ObjectNode script =
        Rest.JSON
            .createObjectNode()
            .put("code", "const x: number = 42; ({ result: x })")
            .put("language", "typescript");

    JsonNode answer = assay.rest().post("/code/exec", script, 200);

    assertThat(answer.path("ok").asBoolean()).isTrue();
    assertThat(answer.path("value")).hasToString("{\"result\":42}");
    assertThat(answer.path("result")).isEqualTo(answer.path("value"));
    JsonNode failed = assay.rest().post("/code/exec", script.put("code", "throw 1"), 200);
    assertThat(failed.at("/error/code").asText()).isEqualTo("RUNTIME_ERROR");
    JsonNode refused = assay.rest().post("/code/exec", script.put("language", "ruby"), 400);
    assertThat(refused.at("/error/code").asText()).isEqualTo("INVALID_LANGUAGE");
  }

  @Test
  void aScriptWhoseClientDisconnectsIsCancelled(Assay assay) {
    String code = "/* " + UUID.randomUUID() + " */ for (;;) {}";
    Predicate<AnalyticsRun> isOwn = run -> code.equals(run.getSpec().code());
    ObjectNode script = Rest.JSON.createObjectNode().put("code", code);
    HttpRequest request =
        assay.rest().request("/code/exec").POST(BodyPublishers.ofString(script.toString())).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      CompletableFuture<?> answer = http.sendAsync(request, BodyHandlers.discarding());
      AnalyticsRun run =
          assay
              .runs()
              .inNamespace(assay.namespace())
              .informOnCondition(all -> all.stream().anyMatch(isOwn))
              .orTimeout(1, TimeUnit.MINUTES)
              .join()
              .stream()
              .filter(isOwn)
              .findFirst()
              .orElseThrow();
      answer.cancel(true);

      assertThat(new Runs(assay).awaitEnd(run).phase()).isEqualTo(RunPhase.Cancelled);
    }
  }

  @Test
  void aStoredScriptIsReadWhenItIsCalled(Assay assay) throws IOException {
    String first = "scripts-e2e-" + ProcessHandle.current().pid();
    store(
        assay,
        first,
        Map.of("e2e-double.ts", "const n: number = input.n; n * 2", "notes.txt", "-"));
    try {
      JsonNode listed = Rest.json(assay.rest().get("/code/scripts", 200)).path("items");
      assertThat(listed)
          .filteredOn(script -> script.path("configMap").asText().equals(first))
          .extracting(
              script -> script.path("name").asText() + " " + script.path("language").asText())
          .containsExactly("e2e-double typescript");
      String call = "{\"script\": \"e2e-double\", \"input\": {\"n\": 21}}";
      assertThat(call(assay, call).path("value").asInt()).isEqualTo(42);

      store(assay, first, Map.of("e2e-double.js", "input.n * 3"));
      assertThat(call(assay, call).path("value").asInt()).isEqualTo(63);
      JsonNode unknown = call(assay, "{\"script\": \"e2e-duoble\"}");
      assertThat(unknown.at("/error/message").asText()).contains("did you mean 'e2e-double'?");
      requireDocumented(unknown);
    } finally {
      assay.kubernetes().configMaps().inNamespace(assay.namespace()).withName(first).delete();
    }
  }

  private static void store(Assay assay, String name, Map<String, String> scripts) {
    ConfigMap configMap =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(assay.namespace())
            .addToLabels("assay.dev/scripts", "true")
            .endMetadata()
            .withData(scripts)
            .build();
    assay.kubernetes().resource(configMap).createOr(existing -> existing.update());
  }

  @Test
  void theCommandPrintsTheResultAndItsExitCodeTells(Assay assay) {
    Programs.Finished done =
        assay.program(
            "code", "exec", "--code=({ result: input.value * 2 })", "--input={\"value\": 21}");
    assertThat(done.exit()).as(done.errors()).isZero();
    assertThat(json(done.output()).at("/value/result").asInt()).isEqualTo(42);

    Programs.Finished late =
        assay.program("code", "exec", "--code=for (;;) {}", "--timeout", "500");
    assertThat(late.exit()).as(late.errors()).isEqualTo(1);
    assertThat(json(late.output()).at("/error/code").asText()).isEqualTo("TIMEOUT");

    Programs.Finished refused = assay.program("code", "exec", "--script", "no-such-script");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.errors()).contains("there is no stored script 'no-such-script'");
  }

  private static JsonNode call(Assay assay, String arguments) {
    Reply reply = assay.call(TOOL, Rest.JSON.convertValue(json(arguments), MAP));
    assertThat(reply.structured()).as(reply.text()).isNotNull();
    assertThat(reply.isError()).isEqualTo(!reply.document().path("ok").asBoolean());
    return reply.document();
  }

  private static JsonNode json(String text) {
    try {
      return Rest.JSON.readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }
}
