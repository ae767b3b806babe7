package dev.assay.cli.local;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.frontend.config.InvalidConfigException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code mcpServers} of a file of settings: an object by name, as most MCP clients write it,
 * or a list. Pure.
 */
final class McpServerEntries {
  static final String FIELD = "mcpServers";

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final String STDIO = "stdio";

  /** What clients call the transports of HTTP. */
  private static final Map<String, Protocol> PROTOCOLS =
      Map.of(
          "http", Protocol.StreamableHttp,
          "streamable-http", Protocol.StreamableHttp,
          "streamablehttp", Protocol.StreamableHttp,
          "sse", Protocol.Sse);

  private static final Set<String> FIELDS =
      new TreeSet<>(
          Set.of(
              "args",
              "command",
              "cwd",
              "disabled",
              "enabled",
              "env",
              "headers",
              "protocol",
              "quarantined",
              "type",
              "url"));

  private final Variables variables;

  /**
   * A reader.
   *
   * @param variables what texts may refer to
   */
  McpServerEntries(Variables variables) {
    this.variables = variables;
  }

  /**
   * The servers, in their order.
   *
   * @throws InvalidConfigException naming the field that cannot be used
   */
  List<McpServerEntry> parse(JsonNode servers) {
    List<McpServerEntry> entries = new ArrayList<>();
    if (servers.isObject()) {
      servers.properties().forEach(one -> entries.add(entry(one.getKey(), one.getValue(), FIELDS)));
    } else if (servers.isArray()) {
      Set<String> fields = new TreeSet<>(FIELDS);
      fields.add("name");
      servers.forEach(one -> entries.add(entry(one.path("name").asString(""), one, fields)));
    } else if (!servers.isMissingNode() && !servers.isNull()) {
      throw new InvalidConfigException(
          FIELD
              + ": must be an object, such as {\"store\": {\"url\": \"https://example.com/mcp\"}}");
    }
    Set<String> names = new HashSet<>();
    for (McpServerEntry entry : entries) {
      if (!names.add(entry.name())) {
        throw new InvalidConfigException(FIELD + "." + entry.name() + ": is there twice");
      }
    }
    return List.copyOf(entries);
  }

  private McpServerEntry entry(String name, JsonNode value, Set<String> fields) {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidConfigException(
          "%s: '%s' cannot be the name of a server: it has 1 to 63 lower-case letters, digits and"
                  .formatted(FIELD, name)
              + " hyphens, and no hyphen at its ends");
    }
    String at = FIELD + "." + name;
    if (!value.isObject()) {
      throw new InvalidConfigException(at + ": must be an object with url or command");
    }
    Set<String> unknown = new TreeSet<>(value.propertyNames());
    unknown.removeAll(fields);
    if (!unknown.isEmpty()) {
      throw new InvalidConfigException(
          "%s: unknown field '%s'; the fields are %s"
              .formatted(at, unknown.iterator().next(), String.join(", ", fields)));
    }
    return new Entry(at, name, value).read();
  }

  /** One entry, while it is read. */
  private final class Entry {
    private final String at;
    private final String name;
    private final JsonNode value;

    Entry(String at, String name, JsonNode value) {
      this.at = at;
      this.name = name;
      this.value = value;
    }

    McpServerEntry read() {
      boolean isEnabled = flag("enabled", true) && !flag("disabled", false);
      boolean isQuarantined = flag("quarantined", false);
      String url = text("url");
      String command = text("command");
      if ((url == null) == (command == null)) {
        throw wrong("", "must have either url or command");
      }
      String transport = transport(command == null ? "http" : STDIO);
      if (command != null) {
        if (!transport.equals(STDIO)) {
          throw wrong(".command", "is for servers of type stdio, not " + transport);
        }
        forbid("headers", "command");
        return new McpServerEntry.Program(
            name, isEnabled, isQuarantined, command(command), environment(), directory());
      }
      Protocol protocol = PROTOCOLS.get(transport);
      if (protocol == null) {
        throw wrong(".url", "is for servers of type http or sse, not " + transport);
      }
      forbid("args", "url");
      forbid("env", "url");
      forbid("cwd", "url");
      return new McpServerEntry.Remote(
          name, isEnabled, isQuarantined, url(String.valueOf(url)), protocol, headers());
    }

    /** What {@code type} or {@code protocol} says, in lower case. */
    private String transport(String otherwise) {
      String type = text("type");
      String protocol = text("protocol");
      if (type != null && protocol != null && !type.equalsIgnoreCase(protocol)) {
        throw wrong(".protocol", "contradicts type");
      }
      String said = type == null ? protocol : type;
      String transport = said == null ? otherwise : said.toLowerCase(Locale.ROOT);
      if (!transport.equals(STDIO) && !PROTOCOLS.containsKey(transport)) {
        throw wrong(type == null ? ".protocol" : ".type", "must be http, sse or stdio");
      }
      return transport;
    }

    private String url(String text) {
      try {
        URI url = new URI(text);
        boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        if (isHttp && url.getHost() != null && text.length() <= Bounds.MAX_TOOL_SERVER_URL) {
          if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
            throw wrong(".url", "cannot have credentials or a fragment: use headers");
          }
          return text;
        }
      } catch (URISyntaxException e) {
        // Reported below, without the URL, which may contain a credential.
      }
      throw wrong(".url", "must be a URL that begins with http:// or https:// and a host");
    }

    private ServerHeaders headers() {
      try {
        return ServerHeaders.of(texts("headers"));
      } catch (InvalidConfigException e) {
        throw e.getMessage() != null && e.getMessage().startsWith(at)
            ? e
            : wrong(".headers", String.valueOf(e.getMessage()));
      }
    }

    private List<String> command(String program) {
      List<String> command = new ArrayList<>(List.of(program));
      JsonNode arguments = value.path("args");
      if (!arguments.isMissingNode() && !arguments.isNull()) {
        if (!arguments.isArray() || !arguments.valueStream().allMatch(JsonNode::isString)) {
          throw wrong(".args", "must be a list of texts");
        }
        arguments.forEach(argument -> command.add(expanded(".args", argument.asString())));
      }
      return List.copyOf(command);
    }

    private Map<String, String> environment() {
      Map<String, String> environment = texts("env");
      for (String variable : environment.keySet()) {
        if (variable.isEmpty() || variable.indexOf('=') >= 0 || variable.indexOf(0) >= 0) {
          throw wrong(".env", "'" + variable + "' cannot be the name of a variable");
        }
      }
      return environment;
    }

    private @Nullable Path directory() {
      String directory = text("cwd");
      return directory == null ? null : Path.of(directory);
    }

    private Map<String, String> texts(String field) {
      Map<String, String> texts = new LinkedHashMap<>();
      JsonNode object = value.path(field);
      if (object.isMissingNode() || object.isNull()) {
        return texts;
      }
      if (!object.isObject()) {
        throw wrong("." + field, "must be an object of texts");
      }
      object
          .properties()
          .forEach(
              one -> {
                String place = "." + field + "." + one.getKey();
                if (!one.getValue().isString()) {
                  throw wrong(place, "must be a text");
                }
                texts.put(one.getKey(), expanded(place, one.getValue().asString()));
              });
      return texts;
    }

    private @Nullable String text(String field) {
      JsonNode text = value.path(field);
      if (text.isMissingNode() || text.isNull()) {
        return null;
      }
      if (!text.isString() || text.asString().isBlank()) {
        throw wrong("." + field, "must be a text that is not empty");
      }
      return expanded("." + field, text.asString());
    }

    private boolean flag(String field, boolean otherwise) {
      JsonNode flag = value.path(field);
      if (flag.isMissingNode() || flag.isNull()) {
        return otherwise;
      }
      if (!flag.isBoolean()) {
        throw wrong("." + field, "must be true or false");
      }
      return flag.asBoolean();
    }

    private void forbid(String field, String beside) {
      if (value.hasNonNull(field)) {
        throw wrong("." + field, "cannot be used with " + beside);
      }
    }

    private String expanded(String place, String text) {
      if (text.indexOf(0) >= 0) {
        throw wrong(place, "cannot contain the character NUL");
      }
      try {
        return variables.expand(text);
      } catch (InvalidConfigException e) {
        throw wrong(place, String.valueOf(e.getMessage()));
      }
    }

    private InvalidConfigException wrong(String place, String what) {
      return new InvalidConfigException(at + place + ": " + what);
    }
  }
}
