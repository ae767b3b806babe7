package dev.assay.gateway.policy;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.definition.ToolList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whether a call may be sent: ordered checks of the server, then of its tool. Pure. */
public final class ServerPolicy {
  private ServerPolicy() {}

  /**
   * The checks that need no session.
   *
   * @param spec of the tool server; empty if there is none
   */
  public static Optional<Refusal> ofServer(String server, Optional<ToolServerSpec> spec) {
    if (spec.isEmpty()) {
      return refusal(CallCode.SERVER_NOT_FOUND, "There is no tool server " + server + ".");
    }
    if (!spec.get().understood()) {
      return refusal(
          CallCode.SERVER_DISABLED,
          "Tool server " + server + " cannot be used: its spec needs a newer tool gateway.");
    }
    if (spec.get().disabled()) {
      return refusal(
          CallCode.SERVER_DISABLED,
          "Tool server " + server + " is disabled: its spec.enabled is false.");
    }
    if (spec.get().inQuarantine()) {
      return refusal(
          CallCode.SERVER_QUARANTINED,
          "Tool server " + server + " is in quarantine: its spec.quarantined is true.");
    }
    return Optional.empty();
  }

  /**
   * The checks of a tool.
   *
   * @param tools what the server lists
   * @param approved the digest of the approved definition; null where there is none
   * @param permissions the permissions of tools that the run may call; null for all
   * @param named the tools whose names may be told: that of one that nobody approved is text of the
   *     server, too
   */
  public static Optional<Refusal> ofTool(
      String server,
      ToolServerSpec spec,
      ToolList tools,
      String tool,
      @Nullable String approved,
      @Nullable List<ToolPermission> permissions,
      Predicate<ToolDefinition> named) {
    Optional<ToolDefinition> found = tools.find(tool);
    if (found.isEmpty()) {
      List<String> near = tools.near(tool, named);
      return refusal(
          CallCode.TOOL_NOT_FOUND,
          "Tool server "
              + server
              + " has no tool "
              + tool
              + "."
              + (near.isEmpty() ? "" : " Similar names: " + String.join(", ", near) + "."));
    }
    ToolDefinition definition = found.get();
    if (spec.approval() != Approval.None && !definition.digest().equals(approved)) {
      return refusal(
          CallCode.TOOL_NOT_APPROVED,
          "Tool %s of %s %s: the platform team can approve it with 'assay tools approve %s %s --digest SHA256'."
              .formatted(
                  tool,
                  server,
                  approved == null ? "is not approved" : "has changed since it was approved",
                  server,
                  tool));
    }
    boolean granted =
        permissions == null
            || permissions.stream()
                .anyMatch(permission -> permission.wireName().equals(definition.permission()));
    return granted
        ? Optional.empty()
        : refusal(
            CallCode.PERMISSION_DENIED,
            "Tool "
                + tool
                + " of "
                + server
                + " needs the permission "
                + definition.permission()
                + ", which this run does not have.");
  }

  private static Optional<Refusal> refusal(CallCode code, String message) {
    return Optional.of(new Refusal(code, message));
  }
}
