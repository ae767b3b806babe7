package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A script for {@code code_execution}.
 *
 * @param arguments of that tool
 */
record Script(Map<String, Object> arguments) {
  static final String TOOL = "code_execution";

  /** JavaScript without an input. */
  static Script of(String code) {
    return new Script(Map.of("code", code));
  }

  /** The file of an example. */
  static Script example(String name) {
    return of(Samples.text("scripts/" + name + ".js"));
  }

  Script input(Map<String, Object> input) {
    return with("input", input);
  }

  Script options(Map<String, Object> options) {
    return with("options", options);
  }

  private Script with(String name, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(arguments);
    all.put(name, value);
    return new Script(all);
  }

  /** The structured reply to a client of MCP. */
  JsonNode reply(OutsideClient client) {
    Reply reply = client.call(TOOL, arguments);
    assertThat(reply.structured()).as(reply.text()).isNotNull();
    return reply.document();
  }

  /** The value for a client of MCP; the script must have one. */
  JsonNode value(OutsideClient client) {
    JsonNode reply = reply(client);
    assertThat(reply.path("ok").asBoolean()).as(reply.toString()).isTrue();
    return reply.path("value");
  }

  JsonNode value(Assay assay) {
    return value(OutsideClient.java(assay));
  }

  JsonNode reply(Assay assay) {
    return reply(OutsideClient.java(assay));
  }

  /** The response of REST to the same. */
  JsonNode byRest(Assay assay) {
    return assay.rest().post("/code/exec", Rest.JSON.valueToTree(arguments), 200);
  }

  /** The output of the command for the same code and input. */
  JsonNode byCommand(Assay assay) {
    Object input = arguments.getOrDefault("input", Map.of());
    Programs.Finished done =
        assay.program(
            "code",
            "exec",
            "--code=" + arguments.get("code"),
            "--input=" + Rest.JSON.valueToTree(input));
    assertThat(done.exit()).as(done.errors()).isZero();
    return json(done.output());
  }

  /**
   * A script that calls tools one after the other, and whose value is {@code CODE SENT} of each.
   */
  static Script outcomes(List<List<Object>> calls) {
    return of("""
            input.calls.map(([server, tool, args]) => {
              const outcome = call_tool(server, tool, args);
              return outcome.ok ? 'OK' : outcome.error.code + ' ' + outcome.error.sent;
            })
            """)
        .input(Map.of("calls", calls));
  }

  static JsonNode json(String text) {
    try {
      return Rest.JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }
}
