package dev.assay.local.api.resource;

import dev.assay.local.api.schema.StructuralSchema;
import dev.assay.local.api.status.ObjectReference;
import dev.assay.local.api.table.PrinterColumn;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A resource that is served.
 *
 * @param group of the API; empty for the core group
 * @param version of the API
 * @param names its names
 * @param namespaced whether its objects live in namespaces
 * @param subresources such as {@code status}
 * @param verbs as discovery tells them
 * @param columns what kubectl prints
 * @param schema of a resource from a CRD
 * @param model of a built-in resource: what its objects must be readable as
 */
public record ResourceDefinition(
    String group,
    String version,
    Names names,
    boolean namespaced,
    Set<String> subresources,
    List<String> verbs,
    List<PrinterColumn> columns,
    @Nullable StructuralSchema schema,
    @Nullable Class<? extends HasMetadata> model) {

  /** All that can be done with stored objects. */
  public static final List<String> ALL_VERBS =
      List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

  /**
   * The names of a resource.
   *
   * @param kind such as {@code Pod}
   * @param plural such as {@code pods}
   * @param singular such as {@code pod}
   * @param shortNames such as {@code po}
   * @param categories such as {@code all}
   */
  public record Names(
      String kind,
      String plural,
      String singular,
      List<String> shortNames,
      List<String> categories) {}

  /** Group and version as objects carry them. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /** The name that no other resource has, such as {@code datasets.assay.dev}. */
  public String qualifiedName() {
    return group.isEmpty() ? names.plural() : names.plural() + "." + group;
  }

  /** Whether status and the rest are written apart. */
  public boolean hasStatus() {
    return subresources.contains("status");
  }

  /** Whether its objects are kept; those of the others are only answered. */
  public boolean isStored() {
    return verbs.contains("get");
  }

  /** An object of this resource, for an error. */
  public ObjectReference reference(String name) {
    return new ObjectReference(group, names.kind(), names.plural(), name);
  }
}
