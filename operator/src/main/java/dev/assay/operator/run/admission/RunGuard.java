package dev.assay.operator.run.admission;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.operator.runner.Job;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether and how the code of a run is checked before it is started: Python only. */
public final class RunGuard {
  private RunGuard() {}

  /**
   * The check, null for none.
   *
   * @param runClass the class of the run; if it was deleted, its defaults apply
   */
  public static Job.@Nullable Guard of(AnalyticsRunSpec spec, @Nullable RunClass runClass) {
    boolean applies =
        runClass == null
            ? spec.runMode() == RunMode.CODE
            : runClass.getSpec().guards(spec.runMode());
    return applies && spec.language() == Language.PYTHON
        ? new Job.Guard(runClass == null ? List.of() : runClass.getSpec().allowedModules())
        : null;
  }
}
