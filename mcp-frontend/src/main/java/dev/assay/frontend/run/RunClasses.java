package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.RunClass;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The platform team's classes. */
public interface RunClasses {
  /** A class, from the cache. */
  Optional<RunClass> find(String className);

  /** All classes, from the cache. */
  List<RunClass> all();

  /** The limits of a class; {@link RunLimits#UNKNOWN} where it does not exist or is not known. */
  default RunLimits limitsOf(@Nullable String className) {
    return Optional.ofNullable(className)
        .flatMap(this::find)
        .map(found -> found.getSpec().timeouts())
        .map(timeouts -> new RunLimits(timeouts.pendingSeconds(), timeouts.defaultSeconds()))
        .orElse(RunLimits.UNKNOWN);
  }
}
