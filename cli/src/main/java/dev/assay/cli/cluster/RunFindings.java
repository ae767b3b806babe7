package dev.assay.cli.cluster;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatus;
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

  /** The names of the run namespaces in the operator's configuration; none if it has no such. */
  static List<String> namespaces(String configuration) {
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

  static Finding podSecurity(String name, Optional<Namespace> namespace) {
    if (namespace.isEmpty()) {
      return Finding.failed(
          "the run namespace %s does not exist: create it, or set its 'create' in runNamespaces"
              .formatted(name));
    }
    Map<String, String> labels =
        Objects.requireNonNullElse(namespace.get().getMetadata().getLabels(), Map.of());
    String level = labels.getOrDefault(ENFORCE, "not set");
    return level.equals(RESTRICTED)
        ? Finding.ok(name + ": Pod Security is " + RESTRICTED)
        : Finding.failed(
            "%s: Pod Security is %s: kubectl label --overwrite namespace %s %s=%s"
                .formatted(name, level, name, ENFORCE, RESTRICTED));
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
    if (status == null || status.getHard() == null || status.getUsed() == null) {
      return Stream.of();
    }
    return new TreeMap<>(status.getUsed())
        .entrySet().stream()
            .filter(used -> TAKEN_BY_PODS.contains(used.getKey()))
            .filter(used -> isReached(status.getHard().get(used.getKey()), used.getValue()))
            .map(
                used ->
                    "%s: the quota %s has no %s left (%s used): wait until runs have ended, or raise it"
                        .formatted(
                            namespace,
                            quota.getMetadata().getName(),
                            used.getKey(),
                            used.getValue()));
  }

  private static boolean isReached(@Nullable Quantity hard, Quantity used) {
    return hard != null && used.getNumericalAmount().compareTo(hard.getNumericalAmount()) >= 0;
  }
}
