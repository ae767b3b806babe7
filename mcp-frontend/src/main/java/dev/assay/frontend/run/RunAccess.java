package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.Ownership;
import dev.assay.frontend.identity.SharedAccess;
import java.util.Map;

/**
 * Which runs of their namespace callers may read and change: their own, and others as the label
 * {@value #SHARED} of a run and {@code shared} of a key allow. A run without a caller, which
 * kubectl has created, belongs to nobody.
 */
public final class RunAccess {
  /** Label of a run that all callers of its namespace may read. */
  public static final String SHARED = "assay.dev/shared";

  private RunAccess() {}

  /** Whether a caller may read a run and what it left. To others it looks like one not found. */
  public static boolean mayRead(AnalyticsRun run, Identity caller) {
    return isInNamespace(run, caller)
        && (isOwn(run, caller) || caller.shared() != SharedAccess.NONE || isShared(run));
  }

  /** Whether a caller may cancel a run, or invalidate its result. */
  public static boolean mayChange(AnalyticsRun run, Identity caller) {
    return isInNamespace(run, caller) && Ownership.mayChange(run.getSpec().caller(), caller);
  }

  /** Why a caller may not cancel it. */
  public static String refusal(AnalyticsRun run) {
    return Ownership.refusal(
        "The run " + run.getMetadata().getName(), run.getSpec().caller(), "cancel");
  }

  /** Whether all callers of its namespace may read a run. */
  public static boolean isShared(AnalyticsRun run) {
    Map<String, String> labels = run.getMetadata().getLabels();
    return labels != null && "true".equals(labels.get(SHARED));
  }

  /** Whether a run belongs to a caller of its namespace. */
  public static boolean isOwn(AnalyticsRun run, Identity caller) {
    return Ownership.isOwn(run.getSpec().caller(), caller);
  }

  private static boolean isInNamespace(AnalyticsRun run, Identity caller) {
    return caller.namespace().equals(run.getMetadata().getNamespace());
  }
}
