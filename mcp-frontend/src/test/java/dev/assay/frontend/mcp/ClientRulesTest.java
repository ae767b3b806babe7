package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.config.ToolNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The list of tools against the rules of the clients and model APIs that it is handed to. One tool
 * that breaks one of them has some clients refuse all tools of all servers. The rules are ours, in
 * our words; each names where it comes from, as of November 2026.
 */
@ParameterizedClass(name = "{0}, output schemas: {1}")
@CsvSource({"UNDERSCORE,false", "UNDERSCORE,true", "SLASH,false", "BARE,false", "BARE,true"})
class ClientRulesTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int TOOLS = 17;

  /** Clients put the name of the server before that of the tool, within the 64 characters. */
  private static final int MAX_PREFIX = 24;

  private final ToolNames names;
  private final boolean outputSchemas;
  private TestEndpoint endpoint;
  private List<JsonNode> tools;

  ClientRulesTest(ToolNames names, boolean outputSchemas) {
    this.names = names;
    this.outputSchemas = outputSchemas;
  }

  @BeforeEach
  void list() {
    endpoint = TestEndpoint.listing(names, outputSchemas);
    tools =
        JSON.readTree(
                endpoint
                    .post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}")
                    .body())
            .at("/result/tools")
            .valueStream()
            .toList();
    assertThat(tools).hasSize(TOOLS);
    assertThat(tools).allMatch(tool -> outputSchemas || !tool.has("outputSchema"));
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  /**
   * {@code toolSchemaNormalizer.ts} of microsoft/vscode-copilot-chat (1700547f): it throws for an
   * array without items, which ends the conversation, and silently changes what breaks the others.
   */
  @Test
  void ofVsCodeCopilot() {
    for (JsonNode tool : tools) {
      assertThat(tool.get("description").asString()).isNotEmpty();
      isPlainObject(tool);
      forEachSchema(
          tool,
          (path, schema) -> {
            assertThat(isArray(schema) && !schema.has("items")).as(path).isFalse();
            assertThat(schema.path("items").isArray()).as(path).isFalse();
            assertThat(schema.path("description").asString("")).as(path).hasSizeLessThan(1024);
            schema
                .path("required")
                .forEach(
                    name ->
                        assertThat(schema.get("properties").has(name.asString()))
                            .as(path)
                            .isTrue());
          });
    }
  }

  /**
   * OpenAI's reference of function tools (names), and the errors "string too long. Expected a
   * string with maximum length 1024" (getsentry/sentry-mcp issue 106), "array schema missing items"
   * (PrefectHQ/fastmcp issue 2464), "schema must have type 'object' and not have 'oneOf'..."
   * (nspady/google-calendar-mcp issue 39) and "'allOf' is not permitted" (makenotion/
   * notion-mcp-server issue 102).
   */
  @Test
  void ofOpenAi() {
    for (JsonNode tool : tools) {
      hasName(tool, "[a-zA-Z0-9_-]{1,%d}");
      assertThat(tool.get("description").asString()).hasSizeLessThanOrEqualTo(1024);
      isPlainObject(tool);
      forEachSchema(
          tool,
          (path, schema) -> {
            assertThat(isArray(schema) && !schema.has("items")).as(path).isFalse();
            assertThat(schema.has("allOf") || schema.has("not")).as(path).isFalse();
          });
    }
  }

  /**
   * Anthropic's reference of tools (names), the errors "input_schema does not support oneOf, allOf,
   * or anyOf at the top level" (anthropics/claude-code issue 5319) and "property keys should match
   * pattern", its guide to self-hosted sandboxes (no $ref), and the review criteria of
   * claude.com/docs/connectors (a title and a hint on every tool).
   */
  @Test
  void ofAnthropic() {
    for (JsonNode tool : tools) {
      hasName(tool, "[a-zA-Z0-9_-]{1,%d}");
      isPlainObject(tool);
      JsonNode hints = tool.get("annotations");
      assertThat(hints.get("title").asString()).isNotBlank().hasSizeLessThan(40);
      assertThat(
              hints.path("readOnlyHint").asBoolean(false)
                  || hints.path("destructiveHint").isBoolean())
          .as(nameOf(tool))
          .isTrue();
      forEachSchema(
          tool,
          (path, schema) -> {
            assertThat(schema.has("$ref") || schema.has("$defs")).as(path).isFalse();
            assertThat(propertiesOf(schema)).as(path).allMatch(key -> key.matches("[\\w.-]{1,64}"));
          });
    }
  }

  /**
   * Gemini's reference of FunctionDeclaration and Schema: names begin with a letter or {@code _},
   * and a schema that is not handed over as JSON Schema has these keywords only. The errors
   * "Unknown name ... Cannot find field" and "Proto field is not repeating" (zed-industries/zed
   * issues 44875, 53919), "items: missing field" (cline/cline issue 7339), "properties: only
   * allowed for OBJECT type" (anomalyco/opencode pull request 11888).
   */
  @Test
  void ofGemini() {
    Set<String> keywords =
        Set.of(
            "type",
            "format",
            "title",
            "description",
            "nullable",
            "default",
            "items",
            "minItems",
            "maxItems",
            "enum",
            "properties",
            "propertyOrdering",
            "required",
            "minProperties",
            "maxProperties",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "pattern",
            "example",
            "anyOf");
    for (JsonNode tool : tools) {
      hasName(tool, "[a-zA-Z_][a-zA-Z0-9_-]{0,%d}");
      isPlainObject(tool);
      forEachSchema(
          tool,
          (path, schema) -> {
            assertThat(keywords).as(path).containsAll(schema.propertyNames());
            assertThat(schema.path("type").isArray()).as(path).isFalse();
            assertThat(isArray(schema)).as(path).isEqualTo(schema.has("items"));
            if (schema.has("properties") || schema.has("required")) {
              assertThat(schema.path("type").asString()).as(path).isEqualTo("object");
            }
            if (schema.has("enum")) {
              assertThat(schema.path("type").asString()).as(path).isEqualTo("string");
              assertThat(schema.get("enum")).as(path).noneMatch(one -> one.asString().isEmpty());
            }
            assertThat(propertiesOf(schema))
                .as(path)
                .allMatch(key -> key.matches("[a-zA-Z_]\\w{0,63}"));
          });
    }
  }

  /** MCP 2025-11-25, server/tools: names are unique, and an output schema describes an object. */
  @Test
  void ofTheProtocol() {
    assertThat(tools.stream().map(ClientRulesTest::nameOf)).doesNotHaveDuplicates();
    assertThat(tools.stream().map(tool -> tool.at("/annotations/title").asString()))
        .doesNotHaveDuplicates();
    assertThat(tools)
        .filteredOn(tool -> tool.has("outputSchema"))
        .hasSizeGreaterThan(outputSchemas ? 5 : -1)
        .allMatch(tool -> "object".equals(tool.at("/outputSchema/type").asString()));
  }

  private static void isPlainObject(JsonNode tool) {
    JsonNode schema = tool.get("inputSchema");
    assertThat(schema.get("type").asString()).isEqualTo("object");
    assertThat(schema.get("properties").isObject()).isTrue();
    assertThat(schema.propertyNames())
        .as(nameOf(tool))
        .doesNotContain("oneOf", "anyOf", "allOf", "not", "enum", "if", "then", "else");
  }

  /** The form with a slash is listed where a platform team wants it, and some clients refuse it. */
  private void hasName(JsonNode tool, String pattern) {
    String name = names == ToolNames.SLASH ? nameOf(tool).replace('/', '_') : nameOf(tool);
    assertThat(name).matches(pattern.formatted(64 - MAX_PREFIX));
  }

  private static String nameOf(JsonNode tool) {
    return tool.get("name").asString();
  }

  private static boolean isArray(JsonNode schema) {
    return "array".equals(schema.path("type").asString(""));
  }

  private static Set<String> propertiesOf(JsonNode schema) {
    return schema
        .path("properties")
        .propertyStream()
        .map(one -> one.getKey())
        .collect(Collectors.toSet());
  }

  private static void forEachSchema(JsonNode tool, BiConsumer<String, JsonNode> check) {
    List<String> seen = new ArrayList<>();
    forEachSchema(
        nameOf(tool),
        tool.get("inputSchema"),
        (path, schema) -> {
          seen.add(path);
          check.accept(path, schema);
        });
    assertThat(seen).isNotEmpty();
  }

  private static void forEachSchema(
      String path, JsonNode schema, BiConsumer<String, JsonNode> check) {
    check.accept(path, schema);
    schema
        .path("properties")
        .propertyStream()
        .forEach(one -> forEachSchema(path + "." + one.getKey(), one.getValue(), check));
    Stream.of("anyOf", "oneOf", "allOf")
        .flatMap(keyword -> schema.path(keyword).valueStream())
        .forEach(one -> forEachSchema(path + "|", one, check));
    if (schema.has("items")) {
      forEachSchema(path + "[]", schema.get("items"), check);
    }
  }
}
