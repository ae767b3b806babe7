package dev.assay.cli.local;

import dev.assay.cli.MachineException;
import dev.assay.cli.python.PythonEnvironment;
import dev.assay.cli.text.Progress;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.IsolationDetection;
import dev.assay.local.isolation.MemoryLimit;
import java.io.IOException;
import java.util.Locale;

/**
 * The Python and the isolation that code gets on this machine.
 *
 * @param promise what the isolation guarantees, for people
 */
record Sandbox(PythonEnvironment python, Isolation isolation, String promise) {
  /** Sets up Python, which takes minutes the first time, and probes isolation. */
  static Sandbox prepare(Progress progress)
      throws MachineException, IOException, InterruptedException {
    if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")) {
      progress.say("Local mode was tested on Linux only, and is likely to fail elsewhere");
    }
    PythonEnvironment python = PythonEnvironment.prepare(progress);
    Isolation isolation = IsolationDetection.detect(python.interpreter().toString());
    MemoryLimit memory = IsolationDetection.memoryLimit(python.interpreter().toString());
    return new Sandbox(python, isolation, "Isolation: " + Machine.promise(isolation, memory));
  }

  /** Throws if nothing isolates code. */
  void requireIsolation() throws MachineException {
    if (isolation == Isolation.NONE) {
      throw new MachineException(
          "nothing isolates code on this machine, and callers could do all that you can: start with"
              + " --trust-code if you trust all code that will be sent, or see 'assay doctor'");
    }
  }
}
