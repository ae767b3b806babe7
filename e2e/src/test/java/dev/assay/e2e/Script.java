package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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

  /**
   * The output of the command for the same.
   *
   * @param exit the exit code that it must have
   */
  JsonNode byCommand(Assay assay, int exit) {
    List<String> command = new ArrayList<>(List.of("code", "exec"));
    options(arguments, command);
    Programs.Finished done = assay.program(command.toArray(String[]::new));
    assertThat(done.exit()).as(done.errors()).isEqualTo(exit);
    return json(done.output());
  }

  /** Adds an option for each argument, those of {@code options} among them. */
  private static void options(Map<?, ?> arguments, List<String> command) {
    arguments.forEach(
        (name, value) -> {
          switch (value) {
            case Map<?, ?> options when name.equals("options") -> options(options, command);
            case Map<?, ?> input -> command.add("--" + name + "=" + Rest.JSON.valueToTree(input));
            case List<?> names ->
                command.add(
                    names.stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(",", "--" + option(name) + "=", "")));
            default -> command.add("--" + option(name) + "=" + value);
          }
        });
  }

  /** The name of an option, such as max-tool-calls. */
  private static String option(Object argument) {
    return argument.equals("timeout_ms") ? "timeout" : argument.toString().replace('_', '-');
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
