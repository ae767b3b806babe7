package dev.assay.cli.cluster;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaSpec;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatus;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Whether runs find what they need: a class, and a namespace with room. */
final class RunFindings {
  private static final String ENFORCE = "pod-security.kubernetes.io/enforce";
  private static final String RESTRICTED = "restricted";

  /** What Pods take of a quota. */
  private static final Set<String> TAKEN_BY_PODS =
      Set.of(
          "pods",
          "count/pods",
          "cpu",
          "requests.cpu",
          "limits.cpu",
          "memory",
          "requests.memory",
          "limits.memory");

  private static final Quantity NOTHING = new Quantity("0");

  /** An annotation of the operator's ConfigMap, with names that commas separate. */
  private static final String EXTERNAL = "assay.dev/external-namespaces";

  private RunFindings() {}

  /** All classes, and their conditions that are not True. */
  static List<Finding> classes(List<RunClass> classes) {
    return classes.isEmpty()
        ? List.of(
            Finding.failed(
                "there is no RunClass, so that no run starts: run 'helm upgrade' with the classes"
                    + " of the chart"))
        : Stream.concat(
                Stream.of(Finding.ok("RunClasses: " + classes.size())),
                classes.stream().flatMap(RunFindings::conditions))
            .toList();
  }

  private static Stream<Finding> conditions(RunClass runClass) {
    return Optional.ofNullable(runClass.getStatus())
        .map(RunClassStatus::conditions)
        .orElse(List.of())
        .stream()
        .filter(condition -> !"True".equals(condition.getStatus()))
        .map(condition -> condition(runClass.getMetadata().getName(), condition));
  }

  private static Finding condition(String name, Condition condition) {
    String sentence =
        "%s of RunClass %s is %s: %s"
            .formatted(condition.getType(), name, condition.getStatus(), condition.getMessage());
    return "False".equals(condition.getStatus())
        ? Finding.failed(sentence + " (docs/operate.md, When the network of a Pod is open)")
        : Finding.note(sentence);
  }

  /**
   * A run namespace of the installation.
   *
   * @param external whether others create it, perhaps later
   */
  record RunNamespace(String name, boolean external) {}

  /** The run namespaces in the operator's ConfigMap; none if it has no such. */
  static List<RunNamespace> namespaces(ConfigMap configMap) {
    Map<String, String> annotations =
        Objects.requireNonNullElse(configMap.getMetadata().getAnnotations(), Map.of());
    List<String> external = List.of(annotations.getOrDefault(EXTERNAL, "").split(","));
    Map<String, String> data = Objects.requireNonNullElse(configMap.getData(), Map.of());
    return names(data.getOrDefault("operator.yaml", "")).stream()
        .map(name -> new RunNamespace(name, external.contains(name)))
        .toList();
  }

  private static List<String> names(String configuration) {
    try {
      Object document = new Load(LoadSettings.builder().build()).loadFromString(configuration);
      return document instanceof Map<?, ?> members
              && members.get("namespaces") instanceof List<?> namespaces
          ? namespaces.stream()
              .flatMap(
                  namespace ->
                      namespace instanceof Map<?, ?> fields
                              && fields.get("name") instanceof String name
                          ? Stream.of(name)
                          : Stream.of())
              .toList()
          : List.of();
    } catch (YamlEngineException e) {
      return List.of();
    }
  }

  static Finding missing(RunNamespace namespace) {
    return namespace.external()
        ? Finding.note(
            "the run namespace %s does not exist yet: whoever creates it applies what docs/install.md, Namespaces, lists"
                .formatted(namespace.name()))
        : Finding.failed(
            "the run namespace %s does not exist: create it, or set runNamespaces[].create to true"
                .formatted(namespace.name()));
  }

  static Finding podSecurity(Namespace namespace) {
    String name = namespace.getMetadata().getName();
    Map<String, String> labels =
        Objects.requireNonNullElse(namespace.getMetadata().getLabels(), Map.of());
    String level = labels.getOrDefault(ENFORCE, "not set");
    return level.equals(RESTRICTED)
        ? Finding.ok(name + ": Pod Security is " + RESTRICTED)
        : Finding.failed(
            "%s: Pod Security is %s: kubectl label --overwrite namespace %s %s=%s"
                .formatted(name, level, name, ENFORCE, RESTRICTED));
  }

  /** What lets a program read a namespace. */
  static Finding roleBinding(String namespace, String name, Optional<RoleBinding> found) {
    return found.isPresent()
        ? Finding.ok(namespace + ": it has the RoleBinding " + name)
        : Finding.failed(
            "%s has no RoleBinding %s: it is not served; apply templates/runs/rbac.yaml of the chart"
                .formatted(namespace, name));
  }

  /** Whether each quota of a namespace has room for Pods. */
  static Finding quotas(String namespace, List<ResourceQuota> quotas) {
    return quotas.stream()
        .flatMap(quota -> usedUp(namespace, quota))
        .findFirst()
        .map(Finding::failed)
        .orElseGet(
            () ->
                Finding.ok(
                    namespace + (quotas.isEmpty() ? ": no quota" : ": its quotas have room")));
  }

  private static Stream<String> usedUp(String namespace, ResourceQuota quota) {
    ResourceQuotaStatus status = quota.getStatus();
    if (status == null || status.getHard() == null || hasScopes(quota.getSpec())) {
      return Stream.of();
    }
    Map<String, Quantity> used = Objects.requireNonNullElse(status.getUsed(), Map.of());
    return new TreeMap<>(status.getHard())
        .entrySet().stream()
            .filter(hard -> TAKEN_BY_PODS.contains(hard.getKey()))
            .flatMap(
                hard ->
                    usedUp(
                        "%s of %s".formatted(quota.getMetadata().getName(), namespace),
                        hard.getKey(),
                        hard.getValue(),
                        used.getOrDefault(hard.getKey(), NOTHING)));
  }

  /** Whether it counts some Pods only, which those of runs may not be among. */
  private static boolean hasScopes(@Nullable ResourceQuotaSpec spec) {
    return spec != null && (!spec.getScopes().isEmpty() || spec.getScopeSelector() != null);
  }

  private static Stream<String> usedUp(
      String quota, String resource, Quantity hard, Quantity used) {
    // A quota that was lowered has less than is used.
    return used.getNumericalAmount().compareTo(hard.getNumericalAmount()) < 0
        ? Stream.of()
        : Stream.of(
            "the quota %s has no %s left (%s of %s used): wait until runs have ended, or raise it"
                .formatted(quota, resource, used, hard));
  }
}
