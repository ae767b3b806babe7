package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.status.FieldError;
import dev.assay.local.api.status.FieldError.ErrorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What names and labels of all objects must be. */
final class MetadataRules {
  private static final int MAX_NAME_LENGTH = 253;
  private static final int MAX_LABEL_LENGTH = 63;
  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern QUALIFIED =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

  private MetadataRules() {}

  static List<FieldError> check(ObjectNode object, boolean nameIsLabel, @Nullable ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    checkName(Metadata.name(object), nameIsLabel, errors);
    JsonNode metadata = object.path("metadata");
    checkLabels(metadata.path("labels"), errors);
    for (Map.Entry<String, JsonNode> annotation : metadata.path("annotations").properties()) {
      checkKey(annotation.getKey(), "metadata.annotations", errors);
    }
    checkOwners(metadata.path("ownerReferences"), errors);
    if (old != null && Metadata.isBeingDeleted(old)) {
      List<String> added = new ArrayList<>(Metadata.finalizers(object));
      added.removeAll(Metadata.finalizers(old));
      if (!added.isEmpty()) {
        errors.add(
            new FieldError(
                ErrorType.FORBIDDEN,
                "metadata.finalizers",
                "no new finalizers can be added if the object is being deleted, found new"
                    + " finalizers "
                    + added));
      }
    }
    return errors;
  }

  private static void checkName(String name, boolean isLabel, List<FieldError> errors) {
    int longest = isLabel ? MAX_LABEL_LENGTH : MAX_NAME_LENGTH;
    Pattern pattern = isLabel ? LABEL : SUBDOMAIN;
    if (name.length() > longest) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              "metadata.name",
              "\"%s\": must be no more than %d characters".formatted(name, longest)));
    }
    if (!pattern.matcher(name).matches()) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              "metadata.name",
              "\"%s\": a lowercase RFC 1123 %s must consist of lower case alphanumeric characters"
                      .formatted(name, isLabel ? "label" : "subdomain")
                  + ", '-' or '.', and must start and end with an alphanumeric character"));
    }
  }

  private static void checkLabels(JsonNode labels, List<FieldError> errors) {
    for (Map.Entry<String, JsonNode> label : labels.properties()) {
      checkKey(label.getKey(), "metadata.labels", errors);
      String value = label.getValue().asText();
      if (value.length() > MAX_LABEL_LENGTH
          || !(value.isEmpty() || QUALIFIED.matcher(value).matches())) {
        errors.add(
            new FieldError(
                ErrorType.INVALID,
                "metadata.labels",
                "\"%s\": a valid label must be an empty string or consist of at most 63 alphanumeric"
                        .formatted(value)
                    + " characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character"));
      }
    }
  }

  private static void checkKey(String key, String field, List<FieldError> errors) {
    int slash = key.indexOf('/');
    String prefix = slash < 0 ? null : key.substring(0, slash);
    String name = key.substring(slash + 1);
    boolean good =
        name.length() <= MAX_LABEL_LENGTH
            && QUALIFIED.matcher(name).matches()
            && (prefix == null
                || (prefix.length() <= MAX_NAME_LENGTH && SUBDOMAIN.matcher(prefix).matches()));
    if (!good) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              field,
              "\"%s\": name part must consist of at most 63 alphanumeric characters, '-', '_' or '.'"
                  .formatted(key)));
    }
  }

  private static void checkOwners(JsonNode owners, List<FieldError> errors) {
    for (int i = 0; i < owners.size(); i++) {
      for (String field : List.of("apiVersion", "kind", "name", "uid")) {
        if (owners.get(i).path(field).asText("").isEmpty()) {
          errors.add(
              new FieldError(
                  ErrorType.INVALID,
                  "metadata.ownerReferences[%d].%s".formatted(i, field),
                  "\"\": must not be empty"));
        }
      }
    }
  }
}
