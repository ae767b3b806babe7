package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.frontend.run.Text;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, each checked when it is asked for. */
public final class Query {
  private final Map<String, String> values;

  private Query(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Reads what follows the question mark.
   *
   * @param text null where there is none
   * @throws RestException where it is malformed, or has a parameter twice or one that is not known
   */
  public static Query of(@Nullable String text, List<String> known) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : text == null || text.isEmpty() ? new String[0] : text.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      String name = decode(parts[0]);
      if (!known.contains(name)) {
        throw RestException.badRequest(
            "Unknown parameter '"
                + Text.oneLine(name, 64)
                + "'"
                + (known.isEmpty()
                    ? "; there are none here"
                    : "; the parameters are " + String.join(", ", known)));
      }
      if (values.put(name, parts.length == 2 ? decode(parts[1]) : "") != null) {
        throw RestException.badRequest("The parameter '" + name + "' occurs twice");
      }
    }
    return new Query(values);
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) {
      throw RestException.badRequest("The query has a percent sign that begins no character");
    }
  }

  /** A text. */
  Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** A whole number. */
  long number(String name, long min, long max, long otherwise) {
    String value = values.get(name);
    if (value == null) {
      return otherwise;
    }
    long number = value.matches("[0-9]{1,18}") ? Long.parseLong(value) : -1;
    if (number < min || number > max) {
      throw RestException.badRequest(
          "The parameter '" + name + "' must be a whole number between " + min + " and " + max);
    }
    return number;
  }

  /** A truth value. */
  boolean flag(String name, boolean otherwise) {
    String value = values.getOrDefault(name, Boolean.toString(otherwise));
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw RestException.badRequest("The parameter '" + name + "' must be true or false");
    };
  }
}
