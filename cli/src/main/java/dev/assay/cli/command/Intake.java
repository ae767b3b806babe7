package dev.assay.cli.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * What an intake file asks for.
 *
 * @param agent who wrote the code; for the result
 * @param task what it is for; for the result
 * @param mode standard or code; null where the file does not say
 * @param codeFile a file with the code, relative to the intake file; null where it has the code
 * @param files texts by their paths in the run
 */
record Intake(
    @Nullable String agent,
    @Nullable String task,
    @Nullable String mode,
    @Nullable String code,
    @Nullable String codeFile,
    List<String> datasets,
    Map<String, String> files,
    @Nullable Integer timeoutSeconds,
    @Nullable String runClass) {
  private static final List<String> KEYS =
      List.of(
          "agent",
          "task",
          "mode",
          "code",
          "code_file",
          "datasets",
          "files",
          "timeout_seconds",
          "run_class");
  private static final List<String> MODES = List.of("standard", "code");
  private static final int MAX_CHARACTERS = 1 << 20;

  /** The file cannot be used; the message says why, and names the key or the line. */
  static final class InvalidIntakeException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidIntakeException(String message) {
      super(message);
    }
  }

  /**
   * Reads YAML: plain values only, no tags, and each key once.
   *
   * @throws InvalidIntakeException if it is something else
   */
  static Intake parse(String yaml) throws InvalidIntakeException {
    LoadSettings settings =
        LoadSettings.builder()
            .setAllowDuplicateKeys(false)
            .setAllowRecursiveKeys(false)
            .setMaxAliasesForCollections(10)
            .setCodePointLimit(MAX_CHARACTERS)
            .build();
    Object document;
    try {
      document = new Load(settings).loadFromString(yaml);
    } catch (YamlEngineException e) {
      throw new InvalidIntakeException(
          "is not plain YAML: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
    if (!(document instanceof Map<?, ?> members)) {
      throw new InvalidIntakeException("must be a mapping with the keys " + keys());
    }
    for (Object key : members.keySet()) {
      if (!(key instanceof String name) || !KEYS.contains(name)) {
        throw new InvalidIntakeException(
            "has an unknown key '" + key + "'; the keys are " + keys());
      }
    }
    Intake intake =
        new Intake(
            text(members, "agent"),
            text(members, "task"),
            modeOf(text(members, "mode")),
            text(members, "code"),
            text(members, "code_file"),
            texts(members, "datasets"),
            files(members),
            number(members, "timeout_seconds"),
            text(members, "run_class"));
    intake.check();
    return intake;
  }

  /** The present name of a mode; any other text as it is. */
  static @Nullable String modeOf(@Nullable String name) {
    return "legacy".equals(name) ? "standard" : name;
  }

  private static String keys() {
    return String.join(", ", KEYS);
  }

  private void check() throws InvalidIntakeException {
    if ((code == null) == (codeFile == null)) {
      throw new InvalidIntakeException("needs either 'code' or 'code_file'");
    }
    if (mode != null && !MODES.contains(mode)) {
      throw new InvalidIntakeException("'mode' must be standard or code, not '" + mode + "'");
    }
  }

  private static @Nullable String text(Map<?, ?> members, String key)
      throws InvalidIntakeException {
    Object value = members.get(key);
    if (value != null && !(value instanceof String)) {
      throw new InvalidIntakeException("'" + key + "' must be a text");
    }
    return (String) value;
  }

  private static @Nullable Integer number(Map<?, ?> members, String key)
      throws InvalidIntakeException {
    Object value = members.get(key);
    if (value != null && !(value instanceof Integer)) {
      throw new InvalidIntakeException("'" + key + "' must be a whole number");
    }
    return (Integer) value;
  }

  private static List<String> texts(Map<?, ?> members, String key) throws InvalidIntakeException {
    Object value = members.get(key);
    if (value == null) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object member : list) {
        if (!(member instanceof String text)) {
          throw new InvalidIntakeException("'" + key + "' must be a list of texts");
        }
        texts.add(text);
      }
      return texts;
    }
    throw new InvalidIntakeException("'" + key + "' must be a list of texts");
  }

  private static Map<String, String> files(Map<?, ?> members) throws InvalidIntakeException {
    Object value = members.get("files");
    Map<String, String> files = new LinkedHashMap<>();
    if (value == null) {
      return files;
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new InvalidIntakeException("'files' must be a mapping of paths to texts");
    }
    for (Map.Entry<?, ?> file : map.entrySet()) {
      if (!(file.getKey() instanceof String path) || !(file.getValue() instanceof String text)) {
        throw new InvalidIntakeException("'files' must be a mapping of paths to texts");
      }
      files.put(path, text);
    }
    return files;
  }
}
