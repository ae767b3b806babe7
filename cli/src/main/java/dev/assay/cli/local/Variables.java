package dev.assay.cli.local;

import dev.assay.frontend.config.InvalidConfigException;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Environment variables in the texts of a file of settings: {@code ${NAME}}, {@code ${env:NAME}},
 * and with a default {@code ${NAME:-default}}. They keep credentials out of the file. Pure.
 *
 * @param environment the variables
 */
record Variables(Map<String, String> environment) {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?}");

  /**
   * The text with the values of its variables.
   *
   * @throws InvalidConfigException if one is not set and has no default
   */
  String expand(String text) {
    return VARIABLE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(value(found)));
  }

  private String value(MatchResult found) {
    @Nullable String value = environment.get(found.group(1));
    @Nullable String otherwise = found.group(2);
    if (value == null && otherwise == null) {
      throw new InvalidConfigException("environment variable " + found.group(1) + " is not set");
    }
    return value == null ? String.valueOf(otherwise) : value;
  }

  /** Without values, which may be credentials. */
  @Override
  public String toString() {
    return "Variables" + environment.keySet();
  }
}
