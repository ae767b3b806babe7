package dev.assay.local.api.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What is served, as clients ask for it before they ask for anything else. */
public final class Discovery {
  /** The API of which this is a part; the cluster that is tested against has the same. */
  private static final String MINOR = "34";

  private final ResourceDefinitions definitions;

  /** Tells of these resources. */
  public Discovery(ResourceDefinitions definitions) {
    this.definitions = definitions;
  }

  /**
   * The answer for a path.
   *
   * @param path such as {@code /apis/assay.dev/v1alpha1}
   * @return empty where the path is not about discovery
   */
  public Optional<ObjectNode> answer(String path) {
    List<String> parts = List.of(path.substring(1).split("/", -1));
    if (path.equals("/version")) {
      return Optional.of(version());
    }
    if (path.equals("/api")) {
      return Optional.of(coreVersions());
    }
    if (path.equals("/api/v1")) {
      return Optional.of(resources("", "v1"));
    }
    if (path.equals("/apis")) {
      return Optional.of(groups());
    }
    if (!parts.getFirst().equals("apis") || !definitions.groups().contains(parts.get(1))) {
      return Optional.empty();
    }
    String group = parts.get(1);
    if (parts.size() == 2) {
      return Optional.of(typed("APIGroup", "v1").setAll(group(group)));
    }
    return parts.size() == 3 && definitions.versionOf(group).equals(Optional.of(parts.get(2)))
        ? Optional.of(resources(group, parts.get(2)))
        : Optional.empty();
  }

  private static ObjectNode typed(String kind, String apiVersion) {
    return JsonNodeFactory.instance.objectNode().put("kind", kind).put("apiVersion", apiVersion);
  }

  private static ObjectNode version() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("major", "1")
        .put("minor", MINOR)
        .put("gitVersion", "v1." + MINOR + ".0+assay.local")
        .put("platform", "jvm/any");
  }

  private static ObjectNode coreVersions() {
    ObjectNode versions = typed("APIVersions", "v1");
    versions.putArray("versions").add("v1");
    versions.putArray("serverAddressByClientCIDRs");
    return versions;
  }

  private ObjectNode groups() {
    ObjectNode list = typed("APIGroupList", "v1");
    ArrayNode groups = list.putArray("groups");
    definitions.groups().forEach(group -> groups.add(group(group)));
    return list;
  }

  private ObjectNode group(String name) {
    String version = definitions.versionOf(name).orElseThrow();
    ObjectNode group = JsonNodeFactory.instance.objectNode().put("name", name);
    ObjectNode preferred = group.putObject("preferredVersion");
    preferred.put("groupVersion", name + "/" + version).put("version", version);
    group.putArray("versions").add(preferred.deepCopy());
    return group;
  }

  private ObjectNode resources(String group, String version) {
    ObjectNode list = typed("APIResourceList", "v1");
    list.put("groupVersion", group.isEmpty() ? version : group + "/" + version);
    ArrayNode resources = list.putArray("resources");
    for (ResourceDefinition definition : definitions.of(group, version)) {
      resources.add(resource(definition));
      for (String subresource : new TreeSet<>(definition.subresources())) {
        resources.add(subresource(definition, subresource));
      }
    }
    return list;
  }

  private static ObjectNode resource(ResourceDefinition definition) {
    ObjectNode resource = JsonNodeFactory.instance.objectNode();
    resource
        .put("name", definition.names().plural())
        .put("singularName", definition.names().singular())
        .put("namespaced", definition.namespaced())
        .put("kind", definition.names().kind());
    addAll(resource.putArray("verbs"), definition.verbs());
    if (!definition.names().shortNames().isEmpty()) {
      addAll(resource.putArray("shortNames"), definition.names().shortNames());
    }
    if (!definition.names().categories().isEmpty()) {
      addAll(resource.putArray("categories"), definition.names().categories());
    }
    return resource;
  }

  private static ObjectNode subresource(ResourceDefinition definition, String name) {
    ObjectNode resource = JsonNodeFactory.instance.objectNode();
    resource
        .put("name", definition.names().plural() + "/" + name)
        .put("singularName", "")
        .put("namespaced", definition.namespaced())
        .put("kind", name.equals("binding") ? "Binding" : definition.names().kind());
    addAll(
        resource.putArray("verbs"),
        switch (name) {
          case "binding" -> List.of("create");
          case "log" -> List.of("get");
          default -> List.of("get", "patch", "update");
        });
    return resource;
  }

  private static void addAll(ArrayNode array, List<String> texts) {
    texts.forEach(array::add);
  }
}
