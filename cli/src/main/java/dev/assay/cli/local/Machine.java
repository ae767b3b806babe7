package dev.assay.cli.local;

import dev.assay.cli.MachineException;
import dev.assay.cli.python.PythonEnvironment;
import dev.assay.cli.python.SystemPython;
import dev.assay.local.isolation.HostUser;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.IsolationDetection;
import dev.assay.local.isolation.MemoryLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The requirements of local mode. */
public final class Machine {
  /**
   * The result of one check.
   *
   * @param level whether the requirement is met
   * @param sentence what was found, or how to get it
   */
  public record Finding(Level level, String sentence) {
    Finding(boolean good, String sentence) {
      this(good ? Level.OK : Level.MISSING, sentence);
    }
  }

  /** Whether a requirement is met. */
  public enum Level {
    OK,
    /** Not yet, and the next start sees to it. */
    NOTE,
    MISSING
  }

  private Machine() {}

  /** Checks all requirements; takes a second or two. */
  public static List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    boolean linux = system.toLowerCase(Locale.ROOT).contains("linux");
    findings.add(
        new Finding(linux, linux ? system : system + ": local mode was tested on Linux only"));
    findings.add(new Finding(true, "Java " + System.getProperty("java.version")));
    try {
      SystemPython python = SystemPython.find();
      findings.add(new Finding(true, "Python " + python.version() + " at " + python.path()));
      python.difference().ifPresent(sentence -> findings.add(new Finding(true, sentence)));
      List<Path> provided = PythonEnvironment.provided();
      findings.add(
          provided.isEmpty()
              ? libraries(PythonEnvironment.hasLibraries(python))
              : new Finding(true, "Python libraries of this installation, in " + provided));
      findings.add(isolation(python));
    } catch (MachineException e) {
      findings.add(new Finding(false, String.valueOf(e.getMessage())));
    }
    return findings;
  }

  /** What a person may rely on, in a line. */
  static String promise(Isolation isolation, MemoryLimit memory) {
    return isolation == Isolation.NONE
        ? isolation.promise() + " " + memory.promise()
        : isolation.promise() + " " + memory.promise() + " " + HostUser.promise();
  }

  static Finding libraries(boolean complete) {
    Path location = PythonEnvironment.location();
    return complete
        ? new Finding(
            Level.OK, "Python libraries in " + location + " ('assay doctor --repair' deletes them)")
        : new Finding(
            Level.NOTE,
            "the Python libraries are missing or incomplete: the next start fetches them into "
                + location);
  }

  private static Finding isolation(SystemPython python) {
    try {
      Isolation isolation = IsolationDetection.detect(python.path().toString());
      MemoryLimit memory = IsolationDetection.memoryLimit(python.path().toString());
      return new Finding(isolation != Isolation.NONE, promise(isolation, memory));
    } catch (IOException e) {
      return new Finding(false, "/tmp cannot be written to: " + e.getMessage());
    }
  }
}
