package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What class and key allow (pure). The operator decides each call by the same; here it decides what
 * a caller reads of.
 *
 * @param ofClass null where the class names nothing, and so allows everything
 * @param ofKey null where the key grants everything
 */
public record ToolAccess(@Nullable ClassTools ofClass, @Nullable ToolGrants ofKey) {
  private static final String ALL = "*";

  boolean includes(String server) {
    return (ofClass == null || names(ofClass.servers(), server))
        && (ofKey == null || names(ofKey.servers(), server));
  }

  /** A tool whose permission is not known is one that may do anything. */
  boolean includes(@Nullable ToolPermission permission) {
    ToolPermission needed =
        permission == null || permission == ToolPermission.UNKNOWN
            ? ToolPermission.DESTRUCTIVE
            : permission;
    return (ofClass == null || has(ofClass.permissions(), needed))
        && (ofKey == null || has(ofKey.permissions(), needed));
  }

  /** Whether it may include tools that change something. */
  boolean mayIncludeWriting() {
    return (ofClass == null || namesAny(ofClass.servers()))
        && (ofKey == null || namesAny(ofKey.servers()))
        && (includes(ToolPermission.WRITE) || includes(ToolPermission.DESTRUCTIVE));
  }

  private static boolean namesAny(@Nullable List<String> servers) {
    return servers == null || !servers.isEmpty();
  }

  private static boolean names(@Nullable List<String> servers, String server) {
    return servers == null || servers.contains(ALL) || servers.contains(server);
  }

  private static boolean has(@Nullable List<ToolPermission> granted, ToolPermission needed) {
    return granted == null || granted.contains(needed);
  }
}
