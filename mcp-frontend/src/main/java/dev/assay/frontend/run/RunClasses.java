package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.RunClass;
import java.util.Optional;

/** The platform team's classes. */
public interface RunClasses {
  /** A class, from the cache. */
  Optional<RunClass> find(String className);

  /** The limits of a class; {@link RunLimits#UNKNOWN} where it does not exist. */
  default RunLimits limitsOf(String className) {
    return find(className)
        .map(found -> found.getSpec().timeouts())
        .map(timeouts -> new RunLimits(timeouts.pendingSeconds(), timeouts.defaultSeconds()))
        .orElse(RunLimits.UNKNOWN);
  }
}
