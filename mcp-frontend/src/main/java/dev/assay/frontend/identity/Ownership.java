package dev.assay.frontend.identity;

import org.jspecify.annotations.Nullable;

/** Who owns the runs and datasets of a namespace, by the caller that they name. */
public final class Ownership {
  private Ownership() {}

  /**
   * Whether a caller owns an object of their namespace.
   *
   * @param owner null where it belongs to nobody
   */
  public static boolean isOwn(@Nullable String owner, Identity caller) {
    return caller.caller().equals(owner);
  }

  /** Whether a caller may change an object of their namespace. */
  public static boolean mayChange(@Nullable String owner, Identity caller) {
    return isOwn(owner, caller) || caller.shared() == SharedAccess.ALL;
  }

  /**
   * Why a caller may not.
   *
   * @param what the object, as a sentence begins with it
   * @param change what is done to it, such as {@code cancel}
   */
  public static String refusal(String what, @Nullable String owner, String change) {
    return what
        + " belongs to "
        + (owner == null ? "no caller" : "another caller")
        + "; only its caller, or a key with shared: all, can "
        + change
        + " it";
  }
}
