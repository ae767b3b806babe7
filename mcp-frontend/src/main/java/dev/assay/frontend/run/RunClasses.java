package dev.assay.frontend.run;

/** The platform team's classes. */
@FunctionalInterface
public interface RunClasses {
  /** The limits of a class; {@link RunLimits#UNKNOWN} where it does not exist. */
  RunLimits limitsOf(String className);
}
