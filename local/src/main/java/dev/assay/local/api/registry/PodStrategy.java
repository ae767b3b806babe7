package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.status.FieldError;
import dev.assay.local.api.status.FieldError.ErrorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pods are Pending at first, hardly change, and end in their own time once they are on a node. */
final class PodStrategy implements Strategy {
  private static final int DEFAULT_GRACE_SECONDS = 30;
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  @Override
  public boolean hasGeneration() {
    return true;
  }

  @Override
  public boolean returnsDeletedObject() {
    return true;
  }

  @Override
  public void prepareForCreate(ObjectNode pod) {
    ObjectNode spec = pod.withObject("/spec");
    setIfAbsent(spec, "restartPolicy", "Always");
    setIfAbsent(spec, "dnsPolicy", "ClusterFirst");
    setIfAbsent(spec, "schedulerName", "default-scheduler");
    if (!spec.hasNonNull("terminationGracePeriodSeconds")) {
      spec.put("terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS);
    }
    pod.putObject("status").put("phase", "Pending");
  }

  private static void setIfAbsent(ObjectNode spec, String field, String value) {
    if (!spec.hasNonNull(field)) {
      spec.put(field, value);
    }
  }

  @Override
  public List<FieldError> validate(ObjectNode pod, @Nullable ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode containers = pod.path("spec").path("containers");
    if (containers.isEmpty()) {
      errors.add(new FieldError(ErrorType.REQUIRED, "spec.containers", ""));
    }
    for (int i = 0; i < containers.size(); i++) {
      for (String field : List.of("name", "image")) {
        if (containers.get(i).path(field).asText("").isEmpty()) {
          errors.add(
              new FieldError(ErrorType.REQUIRED, "spec.containers[%d].%s".formatted(i, field), ""));
        }
      }
    }
    checkDeadline(pod, old, errors);
    if (old != null && !whatMayNotChange(pod).equals(whatMayNotChange(old))) {
      errors.add(
          new FieldError(
              ErrorType.FORBIDDEN,
              "spec",
              "pod updates may not change fields other than `spec.containers[*].image`,"
                  + "`spec.activeDeadlineSeconds`,`spec.tolerations`"));
    }
    return errors;
  }

  private static void checkDeadline(
      ObjectNode pod, @Nullable ObjectNode old, List<FieldError> errors) {
    String field = "spec.activeDeadlineSeconds";
    JsonNode wanted = pod.path("spec").path("activeDeadlineSeconds");
    JsonNode set = old == null ? wanted : old.path("spec").path("activeDeadlineSeconds");
    if (wanted.isNumber() && wanted.asLong() < 1) {
      errors.add(
          new FieldError(
              ErrorType.INVALID, field, wanted + ": must be between 1 and 2147483647, inclusive"));
    } else if (set.isNumber() && (!wanted.isNumber() || wanted.asLong() > set.asLong())) {
      errors.add(
          new FieldError(
              ErrorType.INVALID,
              field,
              wanted.asLong() + ": must be less than or equal to previous value"));
    }
  }

  private static ObjectNode whatMayNotChange(ObjectNode pod) {
    ObjectNode spec = pod.withObject("/spec").deepCopy();
    spec.remove(List.of("activeDeadlineSeconds", "tolerations"));
    spec.path("containers").forEach(container -> ((ObjectNode) container).remove("image"));
    return spec;
  }

  /** A Pod that is on no node, or has ended, has nobody who would have to end it. */
  @Override
  public long gracePeriodSeconds(ObjectNode pod, @Nullable Long asked) {
    boolean onANode = !pod.path("spec").path("nodeName").asText("").isEmpty();
    if (!onANode || ENDED.contains(pod.path("status").path("phase").asText())) {
      return 0;
    }
    return asked != null
        ? asked
        : pod.path("spec").path("terminationGracePeriodSeconds").asLong(DEFAULT_GRACE_SECONDS);
  }
}
