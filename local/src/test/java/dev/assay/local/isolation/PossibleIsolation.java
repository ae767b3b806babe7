package dev.assay.local.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;

/** Which isolation works for this user on this machine, each tried once. */
public final class PossibleIsolation {
  private static final Map<Isolation, Boolean> WORKS = new EnumMap<>(Isolation.class);

  private PossibleIsolation() {}

  /** Whether containers can be isolated so. */
  public static synchronized boolean works(Isolation isolation) {
    return WORKS.computeIfAbsent(isolation, PossibleIsolation::tried);
  }

  private static boolean tried(Isolation isolation) {
    if (isolation == Isolation.NONE) {
      return true;
    }
    try {
      return IsolationDetection.candidates().contains(isolation)
          && IsolationDetection.works(isolation, PythonInterpreter.find("python3").executable());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
