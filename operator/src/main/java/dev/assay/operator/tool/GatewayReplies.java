package dev.assay.operator.tool;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServerStatus.ServerInfo;
import dev.assay.operator.pod.PodText;
import dev.assay.operator.tool.GatewayClient.ListFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses and checks what the gateway responds: it passes on what tool servers send. */
final class GatewayReplies {
  private static final int MAX_MESSAGE = 4096;
  private static final int MAX_NAME = 128;
  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern CODE = Pattern.compile("[A-Za-z_]{1,64}");

  /** Each becomes an object many times as long as its text. */
  private static final int MAX_TOKENS_OF_OUTCOME = 1000;

  private static final int MAX_TOKENS_OF_LIST = 250_000;

  private static final ObjectMapper OUTCOMES = json(MAX_TOKENS_OF_OUTCOME);
  private static final ObjectMapper LISTS = json(MAX_TOKENS_OF_LIST);

  private static ObjectMapper json(long maxTokens) {
    return new ObjectMapper(
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxTokenCount(maxTokens)
                    .build())
            // Names of a hostile text would stay in the tables of the factory.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build());
  }

  private GatewayReplies() {}

  /**
   * The outcome of a call.
   *
   * @throws IOException if the response is malformed
   */
  static Outcome outcome(byte[] response) throws IOException {
    JsonNode reply = OUTCOMES.readTree(response);
    if (!reply.path("ok").isBoolean()) {
      throw new IOException("the tool gateway sent no outcome");
    }
    Long millis = reply.path("millis").canConvertToLong() ? reply.path("millis").asLong() : null;
    if (reply.path("ok").booleanValue()) {
      byte[] result = json(reply, "value");
      byte[] raw = json(reply, "raw");
      if (result == null || raw == null) {
        throw new IOException("the tool gateway sent a call without its result");
      }
      return Outcome.result(result, raw, millis);
    }
    CallCode code =
        CallCode.of(reply.path("code").asText())
            .orElseThrow(() -> new IOException("the tool gateway sent an unknown code"));
    Sent sent = Sent.of(reply.path("sent").asText()).orElse(Sent.UNKNOWN);
    return Outcome.error(
        code,
        PodText.lines(reply.path("message").asText(), MAX_MESSAGE),
        sent,
        json(reply, "raw"),
        millis);
  }

  private static byte @Nullable [] json(JsonNode reply, String member) throws IOException {
    JsonNode text = reply.path(member);
    if (text.isMissingNode() || text.isNull()) {
      return null;
    }
    byte[] bytes = text.binaryValue();
    if (bytes == null || !CallArguments.isJson(bytes)) {
      throw new IOException("the tool gateway sent a result that is not JSON");
    }
    return bytes;
  }

  /** The id of the process that responds. */
  static Optional<String> instance(byte[] response) {
    try {
      String instance = OUTCOMES.readTree(response).path("instance").asText();
      return instance.isEmpty() || instance.length() > MAX_NAME
          ? Optional.empty()
          : Optional.of(instance);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The code of a response that is an error. */
  static String code(byte[] response) {
    try {
      String code = OUTCOMES.readTree(response).path("code").asText();
      return CODE.matcher(code).matches() ? code : "";
    } catch (IOException e) {
      return "";
    }
  }

  /** The tools that a server lists. */
  static ListedTools tools(byte[] response) throws ListFailedException {
    JsonNode list;
    try {
      list = LISTS.readTree(response);
    } catch (IOException e) {
      throw malformed();
    }
    if (list.path("code").isTextual()) {
      throw new ListFailedException(
          CODE.matcher(list.path("code").textValue()).matches()
              ? list.path("code").textValue()
              : CallCode.UPSTREAM_ERROR.name(),
          PodText.line(list.path("message").asText(), MAX_MESSAGE));
    }
    if (!list.path("tools").isArray() || list.path("tools").size() > Bounds.MAX_TOOLS) {
      throw malformed();
    }
    List<ListedTools.Definition> tools = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode tool : list.path("tools")) {
      ListedTools.Definition definition = definition(tool);
      if (!names.add(definition.name())) {
        throw malformed();
      }
      tools.add(definition);
    }
    JsonNode server = list.path("server");
    return new ListedTools(
        new ServerInfo(text(server, "name", MAX_NAME), text(server, "version", MAX_NAME)),
        List.copyOf(tools));
  }

  private static ListedTools.Definition definition(JsonNode tool) throws ListFailedException {
    String name = tool.path("name").asText();
    String digest = tool.path("digest").asText();
    if (name.isEmpty()
        || name.length() > Bounds.MAX_TOOL_NAME
        || !DIGEST.matcher(digest).matches()) {
      throw malformed();
    }
    try {
      return new ListedTools.Definition(
          name,
          digest,
          permission(tool.path("permission").asText()),
          tool.path("description").isTextual() ? tool.path("description").textValue() : null,
          LISTS.writeValueAsBytes(tool));
    } catch (IOException e) {
      throw malformed();
    }
  }

  private static ToolPermission permission(String name) throws ListFailedException {
    for (ToolPermission permission : KnownValues.of(ToolPermission.class)) {
      if (permission.wireName().equals(name)) {
        return permission;
      }
    }
    throw malformed();
  }

  private static @Nullable String text(JsonNode node, String member, int max) {
    return node.path(member).isTextual() ? PodText.line(node.path(member).textValue(), max) : null;
  }

  private static ListFailedException malformed() {
    return new ListFailedException(
        CallCode.UPSTREAM_ERROR.name(), "The tool gateway sent a list of tools that is malformed");
  }
}
