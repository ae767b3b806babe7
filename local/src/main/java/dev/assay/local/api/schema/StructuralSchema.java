package dev.assay.local.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.status.FieldError;
import dev.assay.local.api.status.FieldError.ErrorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A structural schema of a CRD. A keyword that is not known here is an error when the schema is
 * read, so that none is passed over in silence.
 */
public final class StructuralSchema {
  private static final String PRESERVE_UNKNOWN = "x-kubernetes-preserve-unknown-fields";
  private static final Set<String> KEYWORDS =
      Set.of(
          "type",
          "description",
          "format",
          "properties",
          "additionalProperties",
          "items",
          "required",
          "default",
          "nullable",
          "enum",
          "pattern",
          "minimum",
          "maximum",
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "maxProperties",
          PRESERVE_UNKNOWN,
          "x-kubernetes-validations");
  private static final List<String> OBJECT_FIELDS = List.of("apiVersion", "kind", "metadata");

  private final String type;
  private final boolean nullable;
  private final boolean preservesUnknown;
  private final Map<String, StructuralSchema> properties;
  private final @Nullable StructuralSchema additionalProperties;
  private final @Nullable StructuralSchema items;
  private final @Nullable JsonNode defaultValue;
  private final ValueLimits limits;
  private final List<ValidationRule> rules;

  private StructuralSchema(JsonNode schema) {
    Set<String> unknown = new TreeSet<>();
    schema.fieldNames().forEachRemaining(unknown::add);
    unknown.removeAll(KEYWORDS);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("Keywords of a schema that are not known: " + unknown);
    }
    this.type = schema.path("type").asText("");
    this.nullable = schema.path("nullable").asBoolean();
    this.preservesUnknown = schema.path(PRESERVE_UNKNOWN).asBoolean();
    Map<String, StructuralSchema> parsed = new LinkedHashMap<>();
    schema
        .path("properties")
        .properties()
        .forEach(property -> parsed.put(property.getKey(), parse(property.getValue())));
    this.properties = Collections.unmodifiableMap(parsed);
    this.additionalProperties =
        schema.has("additionalProperties") ? parse(schema.get("additionalProperties")) : null;
    this.items = schema.has("items") ? parse(schema.get("items")) : null;
    this.defaultValue = schema.get("default");
    this.limits = ValueLimits.parse(schema);
    List<ValidationRule> compiled = new ArrayList<>();
    schema
        .path("x-kubernetes-validations")
        .forEach(rule -> compiled.add(ValidationRule.compile(rule)));
    this.rules = List.copyOf(compiled);
  }

  /**
   * Reads a schema.
   *
   * @param schema an {@code openAPIV3Schema}
   * @throws IllegalArgumentException where something in it is not known here
   */
  public static StructuralSchema parse(JsonNode schema) {
    return new StructuralSchema(schema);
  }

  /**
   * Removes the fields of an object that the schema does not have.
   *
   * @return their paths
   */
  public List<String> prune(ObjectNode object) {
    List<String> pruned = new ArrayList<>();
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!OBJECT_FIELDS.contains(name) && !properties.containsKey(name)) {
        names.remove();
        pruned.add(name);
      }
    }
    pruneProperties(object, "", pruned);
    return pruned;
  }

  private void prune(JsonNode value, String path, List<String> pruned) {
    if (value instanceof ObjectNode object) {
      if (additionalProperties != null) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
          additionalProperties.prune(entry.getValue(), path + "." + entry.getKey(), pruned);
        }
        return;
      }
      for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (!preservesUnknown && !properties.containsKey(name)) {
          names.remove();
          pruned.add(path + "." + name);
        }
      }
      pruneProperties(object, path, pruned);
    } else if (value instanceof ArrayNode array && items != null) {
      for (int i = 0; i < array.size(); i++) {
        items.prune(array.get(i), path + "[" + i + "]", pruned);
      }
    }
  }

  private void pruneProperties(ObjectNode object, String path, List<String> pruned) {
    properties.forEach(
        (name, schema) -> {
          if (object.has(name)) {
            schema.prune(object.get(name), child(path, name), pruned);
          }
        });
  }

  /** Sets what is absent, or null and may not be, to its default; a null without one is dropped. */
  public void setDefaults(JsonNode value) {
    if (value instanceof ObjectNode object) {
      properties.forEach(
          (name, schema) -> {
            JsonNode found = object.get(name);
            boolean absent = found == null || (found.isNull() && !schema.nullable);
            if (absent && schema.defaultValue != null) {
              object.set(name, schema.defaultValue.deepCopy());
            } else if (absent) {
              object.remove(name);
            }
            if (object.has(name)) {
              schema.setDefaults(object.get(name));
            }
          });
      if (additionalProperties != null) {
        if (!additionalProperties.nullable) {
          object.properties().removeIf(entry -> entry.getValue().isNull());
        }
        object.forEach(additionalProperties::setDefaults);
      }
    } else if (value instanceof ArrayNode array && items != null) {
      array.forEach(items::setDefaults);
    }
  }

  /**
   * Checks an object: types and limits, and the rules where those hold.
   *
   * @param old the object before an update; absent for a create
   */
  public List<FieldError> validate(ObjectNode object, @Nullable ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    validate(object, "", errors);
    if (errors.isEmpty()) {
      evaluate(object, old, "", errors);
    }
    return errors;
  }

  private void validate(JsonNode value, String path, List<FieldError> errors) {
    if (value.isNull() && nullable) {
      return;
    }
    if (!hasType(value)) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              path,
              "%s: %s in body must be of type %s: %s"
                  .formatted(typeOf(value), path, type, typeOf(value))));
      return;
    }
    limits.check(value, path, errors);
    if (value.isObject()) {
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        StructuralSchema schema = properties.getOrDefault(entry.getKey(), additionalProperties);
        if (schema != null) {
          schema.validate(entry.getValue(), child(path, entry.getKey()), errors);
        }
      }
    } else if (value.isArray() && items != null) {
      for (int i = 0; i < value.size(); i++) {
        items.validate(value.get(i), path + "[" + i + "]", errors);
      }
    }
  }

  /** An item of a list has no old value: nothing says which of the old ones it was. */
  private void evaluate(
      JsonNode value, @Nullable JsonNode old, String path, List<FieldError> errors) {
    for (ValidationRule rule : rules) {
      rule.check(CelValues.of(value, this), old == null ? null : CelValues.of(old, this))
          .ifPresent(
              message ->
                  errors.add(
                      new FieldError(ErrorType.INVALID, path.isEmpty() ? "<nil>" : path, message)));
    }
    if (value.isObject()) {
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        StructuralSchema schema = properties.getOrDefault(entry.getKey(), additionalProperties);
        if (schema != null) {
          JsonNode before = old == null ? null : old.get(entry.getKey());
          schema.evaluate(entry.getValue(), before, child(path, entry.getKey()), errors);
        }
      }
    } else if (value.isArray() && items != null) {
      for (int i = 0; i < value.size(); i++) {
        items.evaluate(value.get(i), null, path + "[" + i + "]", errors);
      }
    }
  }

  private boolean hasType(JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "boolean" -> value.isBoolean();
      case "integer" -> isInteger(value);
      case "number" -> value.isNumber();
      default -> true;
    };
  }

  private static boolean isInteger(JsonNode value) {
    return value.isNumber() && value.decimalValue().stripTrailingZeros().scale() <= 0;
  }

  private static String typeOf(JsonNode value) {
    return value.isIntegralNumber()
        ? "integer"
        : value.getNodeType().name().toLowerCase(Locale.ROOT);
  }

  /** The schema of a field, or of an item where the name is empty. */
  @Nullable StructuralSchema of(String name) {
    return name.isEmpty() ? items : properties.getOrDefault(name, additionalProperties);
  }

  boolean isDouble() {
    return type.equals("number");
  }

  private static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
