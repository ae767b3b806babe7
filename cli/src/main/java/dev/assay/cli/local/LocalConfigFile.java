package dev.assay.cli.local;

import dev.assay.cli.MachineException;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.config.InvalidConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The file of settings of local mode: a JSON object whose names other tools of the kind know. */
public final class LocalConfigFile {
  private static final String ENABLED = "enable_code_execution";
  private static final String TIMEOUT = "code_execution_timeout_ms";
  private static final String TOOL_CALLS = "code_execution_max_tool_calls";
  private static final String PARALLEL = "code_execution_max_parallel";
  private static final String POOL_SIZE = "code_execution_pool_size";
  private static final int MAX_POOL_SIZE = 100;
  private static final Set<String> NAMES =
      new TreeSet<>(
          Set.of(ENABLED, TIMEOUT, TOOL_CALLS, PARALLEL, POOL_SIZE, McpServerEntries.FIELD));

  /** The names that those who know the settings of a script look for, by those of the chart. */
  private static final Map<String, String> CHART_NAMES =
      Map.of(
          "codeExecution.timeoutMs", TIMEOUT,
          "codeExecution.maxToolCalls", TOOL_CALLS,
          "codeExecution.maxParallel", PARALLEL);

  private LocalConfigFile() {}

  /**
   * Reads the settings; without a file there are none.
   *
   * @param environment what texts of the file may refer to
   * @throws MachineException where the file cannot be used; the message names the setting
   */
  public static LocalConfig read(@Nullable Path file, Map<String, String> environment)
      throws MachineException {
    if (file == null) {
      return LocalConfig.NONE;
    }
    try {
      return parse(Files.readString(file), environment);
    } catch (IOException e) {
      throw new MachineException(file + " cannot be read, or is not UTF-8 text", e);
    } catch (InvalidConfigException e) {
      throw new MachineException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * The settings. Scripts are on where there are servers whose tools they can call.
   *
   * @throws InvalidConfigException where the text is something else
   */
  static LocalConfig parse(String json, Map<String, String> environment) {
    JsonNode settings = object(json);
    Set<String> unknown = new TreeSet<>(settings.propertyNames());
    unknown.removeAll(NAMES);
    if (!unknown.isEmpty()) {
      throw new InvalidConfigException(
          "unknown setting '%s'; the settings are %s"
              .formatted(unknown.iterator().next(), String.join(", ", NAMES)));
    }
    List<McpServerEntry> servers =
        new McpServerEntries(new Variables(environment))
            .parse(settings.path(McpServerEntries.FIELD));
    return new LocalConfig(
        codeExecution(settings, !servers.isEmpty()), scriptsAtOnce(settings), servers);
  }

  private static int scriptsAtOnce(JsonNode settings) {
    Integer size = number(settings, POOL_SIZE);
    if (size == null) {
      return LocalConfig.DEFAULT_SCRIPTS_AT_ONCE;
    }
    if (size < 1 || size > MAX_POOL_SIZE) {
      throw new InvalidConfigException(
          "%s: must be between 1 and %d, not %d".formatted(POOL_SIZE, MAX_POOL_SIZE, size));
    }
    return size;
  }

  private static CodeExecution codeExecution(JsonNode settings, boolean byDefault) {
    try {
      Boolean flag = flag(settings);
      return new CodeExecution(
          flag == null ? byDefault : flag,
          null,
          number(settings, TIMEOUT),
          number(settings, TOOL_CALLS),
          number(settings, PARALLEL));
    } catch (InvalidConfigException e) {
      String message = String.valueOf(e.getMessage());
      for (Map.Entry<String, String> name : CHART_NAMES.entrySet()) {
        message = message.replace(name.getKey(), name.getValue());
      }
      throw new InvalidConfigException(message);
    }
  }

  private static JsonNode object(String json) {
    try {
      JsonNode settings = JsonMapper.shared().readTree(json);
      if (settings.isObject()) {
        return settings;
      }
    } catch (JacksonException e) {
      // Reported below.
    }
    throw new InvalidConfigException(
        "the file must be a JSON object, such as {\"" + ENABLED + "\": true}");
  }

  private static @Nullable Boolean flag(JsonNode settings) {
    JsonNode value = settings.path(ENABLED);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isBoolean()) {
      throw new InvalidConfigException(ENABLED + ": must be true or false");
    }
    return value.asBoolean();
  }

  private static @Nullable Integer number(JsonNode settings, String name) {
    JsonNode value = settings.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isInt()) {
      throw new InvalidConfigException(name + ": must be a whole number");
    }
    return value.asInt();
  }
}
