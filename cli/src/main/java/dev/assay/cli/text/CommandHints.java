package dev.assay.cli.text;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates advice of the REST API, which names requests and fields. */
public final class CommandHints {
  private static final String PATH = "/api/v1/";
  private static final Map<String, String> COMMANDS = commands();

  private static final Map<String, String> OPTIONS =
      Map.of(
          "dataset", "--dataset",
          "datasets", "--dataset",
          "runClass", "--class",
          "snapshotClass", "--class",
          "timeoutSeconds", "--timeout",
          "volume", "--volume",
          "path", "--path",
          "format", "--format",
          "options", "--option",
          "code", "--code");

  /** A field where a message names one, and not a name that the user has chosen. */
  private static final Pattern FIELD =
      Pattern.compile(
          "(^|\\b(?:give|either|and|or|to|of) )'(" + String.join("|", OPTIONS.keySet()) + ")'");

  private CommandHints() {}

  private static Map<String, String> commands() {
    Map<String, String> commands = new LinkedHashMap<>();
    commands.put(
        "POST " + PATH + "datasets creates '([^']*)'",
        "'assay datasets load NAME FILE' creates it");
    commands.put("PUT " + PATH + "datasets/(\\w[\\w.-]*)", "'assay datasets load NAME FILE'");
    commands.put("GET " + PATH + "datasets/(\\w[\\w.-]*)", "'assay datasets describe NAME'");
    commands.put("GET " + PATH + "datasets", "'assay datasets ls'");
    commands.put("GET " + PATH + "runs/(\\w[\\w.-]*)(/output)?", "'assay logs NAME'");
    commands.put("GET " + PATH + "runs", "'assay runs'");
    commands.put("set 'replace' to true", "add --replace");
    return commands;
  }

  /** The message with commands in place of requests, and options in place of fields. */
  public static String of(String message) {
    String translated = message;
    for (Map.Entry<String, String> command : COMMANDS.entrySet()) {
      translated =
          Pattern.compile(command.getKey())
              .matcher(translated)
              .replaceAll(found -> Matcher.quoteReplacement(filled(command.getValue(), found)));
    }
    return FIELD
        .matcher(translated)
        .replaceAll(found -> found.group(1) + "'" + OPTIONS.getOrDefault(found.group(2), "") + "'");
  }

  private static String filled(String command, MatchResult found) {
    if (found.groupCount() == 0) {
      return command;
    }
    String name = found.group(1);
    return command.replace("NAME", name.contains(" ") ? '"' + name + '"' : name);
  }
}
