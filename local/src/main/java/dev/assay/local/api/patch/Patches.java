package dev.assay.local.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.status.ApiException;
import io.fabric8.zjsonpatch.CompatibilityFlags;
import io.fabric8.zjsonpatch.JsonPatch;
import io.fabric8.zjsonpatch.JsonPatchException;
import java.util.EnumSet;
import java.util.Map;

/** The patches that are understood. Strategic merge patches and apply are not. */
public final class Patches {
  /** RFC 6902. */
  public static final String JSON_PATCH = "application/json-patch+json";

  /** RFC 7386. */
  public static final String MERGE_PATCH = "application/merge-patch+json";

  private static final int MAX_OPERATIONS = 10_000;

  private Patches() {}

  /**
   * Whether a patch of that media type is understood.
   *
   * @throws ApiException where it is not
   */
  public static void checkType(String mediaType) {
    if (!mediaType.equals(JSON_PATCH) && !mediaType.equals(MERGE_PATCH)) {
      throw ApiException.unsupportedMediaType(JSON_PATCH + ", " + MERGE_PATCH);
    }
  }

  /**
   * Applies a patch to a copy of an object.
   *
   * @throws ApiException where the patch is malformed, or does not fit the object
   */
  public static ObjectNode apply(String mediaType, JsonNode patch, ObjectNode object) {
    JsonNode patched =
        mediaType.equals(JSON_PATCH) ? jsonPatch(patch, object) : mergePatch(patch, object);
    if (patched instanceof ObjectNode result) {
      return result;
    }
    throw ApiException.patchDoesNotApply("the result is not an object");
  }

  private static JsonNode jsonPatch(JsonNode patch, ObjectNode object) {
    if (!patch.isArray()) {
      throw ApiException.badRequest("a JSON patch is an array of operations");
    }
    if (patch.size() > MAX_OPERATIONS) {
      throw ApiException.tooLarge(MAX_OPERATIONS);
    }
    try {
      return JsonPatch.apply(
          patch, object, EnumSet.of(CompatibilityFlags.FORBID_REMOVE_MISSING_OBJECT));
    } catch (JsonPatchException | IllegalArgumentException e) {
      throw ApiException.patchDoesNotApply(String.valueOf(e.getMessage()));
    }
  }

  private static JsonNode mergePatch(JsonNode patch, ObjectNode object) {
    if (!patch.isObject()) {
      throw ApiException.badRequest("a merge patch is an object");
    }
    return merge(object.deepCopy(), patch);
  }

  private static ObjectNode merge(ObjectNode target, JsonNode patch) {
    for (Map.Entry<String, JsonNode> entry : patch.properties()) {
      String name = entry.getKey();
      JsonNode value = entry.getValue();
      if (value.isNull()) {
        target.remove(name);
      } else if (value.isObject()) {
        ObjectNode inner =
            target.get(name) instanceof ObjectNode found ? found : target.objectNode();
        target.set(name, merge(inner, value));
      } else {
        target.set(name, value);
      }
    }
    return target;
  }
}
