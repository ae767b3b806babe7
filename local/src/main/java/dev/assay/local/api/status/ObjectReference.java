package dev.assay.local.api.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Which object an error is about.
 *
 * @param group of the API; empty for the core group
 * @param kind such as {@code Pod}
 * @param plural such as {@code pods}
 * @param name of the object; empty where it has none yet
 */
public record ObjectReference(String group, String kind, String plural, String name) {
  String qualifiedKind() {
    return group.isEmpty() ? kind : kind + "." + group;
  }

  ObjectNode details() {
    ObjectNode details = JsonNodeFactory.instance.objectNode();
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    if (!group.isEmpty()) {
      details.put("group", group);
    }
    return details.put("kind", plural);
  }

  /** As messages name it: {@code pods "one"}, {@code datasets.assay.dev "sales"}. */
  @Override
  public String toString() {
    return "%s \"%s\"".formatted(group.isEmpty() ? plural : plural + "." + group, name);
  }
}
