package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * JSON patches of only those members of a part of an object that change: what a newer version has
 * added beside them stays. Each applies only to the version of the object that it was made from.
 */
public final class MemberPatch {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Of two elements of a list at the same place that are the same one. */
  private static final List<String> NAMES = List.of("type", "name");

  private final ArrayNode operations = JSON.createArrayNode();

  private MemberPatch(@Nullable String resourceVersion) {
    add("replace", "/metadata/resourceVersion")
        .set("value", JsonNodeFactory.instance.textNode(resourceVersion));
  }

  /**
   * Changes members at any depth.
   *
   * @param path of the part
   * @param before null if there is none
   */
  public static ArrayNode deep(
      @Nullable String resourceVersion, String path, @Nullable Object before, Object after) {
    MemberPatch patch = new MemberPatch(resourceVersion);
    patch.change(path, JSON.valueToTree(before), JSON.valueToTree(after));
    return patch.operations;
  }

  /** Changes whole members of the part, which are there or not as a rule of the kind says. */
  public static ArrayNode shallow(
      @Nullable String resourceVersion, String path, Object before, Object after) {
    MemberPatch patch = new MemberPatch(resourceVersion);
    ObjectNode from = JSON.valueToTree(before);
    ObjectNode to = JSON.valueToTree(after);
    for (String name : names(from, to)) {
      if (!from.path(name).equals(to.path(name))) {
        patch.set(child(path, name), from.path(name), to.path(name));
      }
    }
    return patch.operations;
  }

  private void change(String path, JsonNode before, JsonNode after) {
    if (before.equals(after)) {
      return;
    }
    if (before instanceof ObjectNode from && after instanceof ObjectNode to) {
      names(from, to).forEach(name -> change(child(path, name), from.path(name), to.path(name)));
    } else if (before instanceof ArrayNode from && after instanceof ArrayNode to) {
      changeElements(path, from, to);
    } else {
      set(path, before, after);
    }
  }

  private void changeElements(String path, ArrayNode before, ArrayNode after) {
    int kept = Math.min(before.size(), after.size());
    for (int i = 0; i < kept; i++) {
      JsonNode from = before.get(i);
      JsonNode to = after.get(i);
      if (isSame(from, to)) {
        change(path + "/" + i, from, to);
      } else {
        add("replace", path + "/" + i).set("value", to);
      }
    }
    for (int i = before.size() - 1; i >= kept; i--) {
      add("remove", path + "/" + i);
    }
    for (int i = kept; i < after.size(); i++) {
      add("add", path + "/-").set("value", after.get(i));
    }
  }

  private static boolean isSame(JsonNode one, JsonNode other) {
    return one.equals(other)
        || NAMES.stream().anyMatch(name -> one.has(name) && one.get(name).equals(other.get(name)));
  }

  private void set(String path, JsonNode before, JsonNode after) {
    if (!isAbsent(after)) {
      add("add", path).set("value", after);
    } else if (!isAbsent(before)) {
      add("remove", path);
    }
  }

  private static boolean isAbsent(JsonNode value) {
    return value.isNull() || value.isMissingNode();
  }

  private ObjectNode add(String operation, String path) {
    return operations.addObject().put("op", operation).put("path", path);
  }

  private static Set<String> names(ObjectNode before, ObjectNode after) {
    Set<String> names = new LinkedHashSet<>();
    before.fieldNames().forEachRemaining(names::add);
    after.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static String child(String path, String name) {
    return path + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
