package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** Paths of objects in the Kubernetes API. */
final class ApiPaths {
  private ApiPaths() {}

  /** The path of an object, without a leading slash. */
  static String of(HasMetadata object) {
    String group =
        object.getApiVersion().contains("/")
            ? "apis/" + object.getApiVersion()
            : "api/" + object.getApiVersion();
    String namespace = object.getMetadata().getNamespace();
    return "%s/%s%s/%s"
        .formatted(
            group,
            namespace == null ? "" : "namespaces/" + namespace + "/",
            HasMetadata.getPlural(object.getClass()),
            object.getMetadata().getName());
  }
}
