package dev.assay.gateway.definition;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The definition of a tool. Its texts are data, never instructions, and have no invisible
 * characters.
 *
 * @param name its name
 * @param description what it says of itself; may be empty
 * @param inputSchema the JSON schema of its arguments
 * @param outputSchema that of its results, if it has one
 * @param annotations hints, such as readOnlyHint, if it has some
 * @param permission what it may do
 * @param digest the SHA-256, in hexadecimal, of the canonical JSON of name, description, both
 *     schemas, all as the server lists them, and permission; of a tool without hints that was
 *     approved as one that writes, the digest of that
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ToolDefinition(
    String name,
    String description,
    JsonNode inputSchema,
    @Nullable JsonNode outputSchema,
    @Nullable JsonNode annotations,
    String permission,
    String digest) {
  private static final String DESTRUCTIVE_HINT = "destructiveHint";

  /**
   * Reads a definition as a server lists it.
   *
   * @param approved digests of definitions that are approved
   * @throws InvalidListException if it is no definition
   */
  public static ToolDefinition read(JsonNode listed, ToolRules rules, Set<String> approved)
      throws InvalidListException {
    String name = name(listed);
    JsonNode description = listed.path("description");
    if (!description.isMissingNode() && !description.isNull() && !description.isString()) {
      throw new InvalidListException("the description of a tool is no text");
    }
    JsonNode input = schema(listed, "inputSchema").orElseGet(Json.MAPPER::createObjectNode);
    Optional<JsonNode> output = schema(listed, "outputSchema");
    JsonNode annotations = listed.path("annotations");
    ToolPermission permission = permission(name, annotations, rules);
    ObjectNode digested = Json.MAPPER.createObjectNode();
    digested.put("name", name);
    digested.put("description", description.asString(""));
    digested.set("inputSchema", input);
    digested.set("outputSchema", output.orElseGet(() -> Json.MAPPER.getNodeFactory().nullNode()));
    String digest = digest(digested, permission);
    if (permission == ToolPermission.DESTRUCTIVE && isUnsaid(name, annotations, rules)) {
      String earlier = digest(digested, ToolPermission.WRITE);
      digest = approved.contains(earlier) ? earlier : digest;
    }
    return new ToolDefinition(
        name,
        CleanText.of(description.asString("")),
        CleanText.of(input),
        output.map(CleanText::of).orElse(null),
        annotations.isObject() ? CleanText.of(annotations) : null,
        permission.wireName(),
        digest);
  }

  private static String digest(ObjectNode definition, ToolPermission permission) {
    return Sha256.hex(Json.canonical(definition.put("permission", permission.wireName())));
  }

  /**
   * Whether nobody says what a tool may do. It was once taken for one that writes: an approval from
   * then still holds, as it now may be called by fewer.
   */
  private static boolean isUnsaid(String name, JsonNode annotations, ToolRules rules) {
    return ruled(name, rules).isEmpty() && !annotations.path(DESTRUCTIVE_HINT).isBoolean();
  }

  private static String name(JsonNode listed) throws InvalidListException {
    String name = listed.path("name").asString("");
    if (!name.matches("[\\x21-\\x7e]{1," + Bounds.MAX_TOOL_NAME + "}")) {
      throw new InvalidListException(
          "a tool has a name that is not 1 to "
              + Bounds.MAX_TOOL_NAME
              + " visible ASCII characters");
    }
    return name;
  }

  private static Optional<JsonNode> schema(JsonNode listed, String member)
      throws InvalidListException {
    JsonNode schema = listed.path(member);
    if (schema.isMissingNode() || schema.isNull()) {
      return Optional.empty();
    }
    if (!schema.isObject()) {
      throw new InvalidListException("the " + member + " of a tool is no object");
    }
    return Optional.of(schema);
  }

  /**
   * What the rules say of the name itself, else of the names that match, else what the hints say.
   */
  static ToolPermission permission(String name, JsonNode annotations, ToolRules rules) {
    return ruled(name, rules).orElseGet(() -> hinted(annotations));
  }

  private static Optional<ToolPermission> ruled(String name, ToolRules rules) {
    Map<String, ToolPermission> named = rules.permissionMap();
    ToolPermission exact = named.get(name);
    if (exact != null) {
      return Optional.of(exact);
    }
    return named.entrySet().stream()
        .filter(entry -> ToolPattern.matches(entry.getKey(), name))
        .map(Map.Entry::getValue)
        .max(Comparator.naturalOrder());
  }

  /** As MCP has it, a tool that does not say that it only reads, or destroys nothing, may. */
  private static ToolPermission hinted(JsonNode annotations) {
    if (annotations.path("readOnlyHint").asBoolean(false)) {
      return ToolPermission.READ;
    }
    JsonNode destroys = annotations.path(DESTRUCTIVE_HINT);
    return destroys.isBoolean() && !destroys.booleanValue()
        ? ToolPermission.WRITE
        : ToolPermission.DESTRUCTIVE;
  }

  /** Whether it deals with more than a closed set of things; so it does where it says nothing. */
  public boolean dealsWithOpenWorld() {
    return annotations == null || annotations.path("openWorldHint").asBoolean(true);
  }
}
