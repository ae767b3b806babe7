package dev.assay.frontend.identity;

import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import org.jspecify.annotations.Nullable;

/**
 * Who calls.
 *
 * @param caller the name that runs carry
 * @param namespace where their runs and datasets live
 * @param grants the tools of other servers that code of theirs may call; null for all that the
 *     class of a run allows
 * @param shared what they may do with runs and datasets of others in the namespace
 */
public record Identity(
    String caller, String namespace, @Nullable ToolGrants grants, SharedAccess shared) {
  /** A caller whose code may call what its class allows, and who sees their own runs. */
  public Identity(String caller, String namespace) {
    this(caller, namespace, null, SharedAccess.NONE);
  }

  /** Whom a run or dataset belongs to; those without a caller have one owner. */
  public static Identity owner(@Nullable String caller, String namespace) {
    return new Identity(caller == null ? "" : caller, namespace);
  }

  /** The caller alone, without what a key grants: all keys of a caller have one share. */
  public Identity asCaller() {
    return new Identity(caller, namespace);
  }
}
