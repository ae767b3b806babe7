package dev.assay.local.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import dev.assay.local.api.status.FieldError;
import dev.assay.local.api.status.FieldError.ErrorType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The limits that a schema sets to one value, whatever is inside of it. */
final class ValueLimits {
  private final List<JsonNode> allowed;
  private final @Nullable Pattern pattern;
  private final @Nullable JsonNode minimum;
  private final @Nullable JsonNode maximum;
  private final int minLength;
  private final int maxLength;
  private final int minItems;
  private final int maxItems;
  private final int maxProperties;
  private final List<String> required;

  private ValueLimits(JsonNode schema) {
    allowed = elements(schema.path("enum"));
    pattern = schema.has("pattern") ? Pattern.compile(schema.get("pattern").asText()) : null;
    minimum = schema.get("minimum");
    maximum = schema.get("maximum");
    minLength = schema.path("minLength").asInt(0);
    maxLength = schema.path("maxLength").asInt(Integer.MAX_VALUE);
    minItems = schema.path("minItems").asInt(0);
    maxItems = schema.path("maxItems").asInt(Integer.MAX_VALUE);
    maxProperties = schema.path("maxProperties").asInt(Integer.MAX_VALUE);
    required = elements(schema.path("required")).stream().map(JsonNode::asText).toList();
  }

  static ValueLimits parse(JsonNode schema) {
    return new ValueLimits(schema);
  }

  private static List<JsonNode> elements(JsonNode array) {
    List<JsonNode> elements = new ArrayList<>();
    array.forEach(elements::add);
    return elements;
  }

  void check(JsonNode value, String path, List<FieldError> errors) {
    if (!allowed.isEmpty() && !allowed.contains(value)) {
      String supported = allowed.stream().map(JsonNode::toString).collect(Collectors.joining(", "));
      errors.add(
          new FieldError(
              ErrorType.NOT_SUPPORTED, path, value + ": supported values: " + supported));
    }
    if (value.isTextual()) {
      checkText(value.asText(), path, errors);
    } else if (value.isNumber()) {
      checkNumber(value.decimalValue(), path, errors);
    } else if (value.isArray()) {
      checkArray(value.size(), path, errors);
    } else if (value.isObject()) {
      checkObject(value, path, errors);
    }
  }

  private void checkText(String text, String path, List<FieldError> errors) {
    int length = text.codePointCount(0, text.length());
    if (length > maxLength) {
      errors.add(
          new FieldError(
              ErrorType.TOO_LONG, path, "may not be more than %d bytes".formatted(maxLength)));
    }
    if (length < minLength) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              path,
              "\"%s\": %s in body should be at least %d chars long"
                  .formatted(text, path, minLength)));
    }
    if (pattern != null && !pattern.matcher(text).find()) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              path,
              "\"%s\": %s in body should match '%s'".formatted(text, path, pattern.pattern())));
    }
  }

  private void checkNumber(BigDecimal number, String path, List<FieldError> errors) {
    if (minimum != null && number.compareTo(minimum.decimalValue()) < 0) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              path,
              "%s: %s in body should be greater than or equal to %s"
                  .formatted(number, path, plain(minimum))));
    }
    if (maximum != null && number.compareTo(maximum.decimalValue()) > 0) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              path,
              "%s: %s in body should be less than or equal to %s"
                  .formatted(number, path, plain(maximum))));
    }
  }

  private static String plain(JsonNode limit) {
    return limit.decimalValue().stripTrailingZeros().toPlainString();
  }

  private void checkArray(int size, String path, List<FieldError> errors) {
    if (size > maxItems) {
      errors.add(
          new FieldError(
              ErrorType.TOO_MANY,
              path,
              "%d: must have at most %d items".formatted(size, maxItems)));
    }
    if (size < minItems) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              path,
              "%d: %s in body should have at least %d items".formatted(size, path, minItems)));
    }
  }

  private void checkObject(JsonNode object, String path, List<FieldError> errors) {
    if (object.size() > maxProperties) {
      errors.add(
          new FieldError(
              ErrorType.TOO_MANY,
              path,
              "%d: must have at most %d items".formatted(object.size(), maxProperties)));
    }
    for (String name : required) {
      if (!object.has(name)) {
        errors.add(
            new FieldError(ErrorType.REQUIRED, path.isEmpty() ? name : path + "." + name, ""));
      }
    }
  }
}
