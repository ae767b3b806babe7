package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.local.LocalMcp;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Loads the classes that later starts need, so that the JVM can keep them. */
@Command(
    name = LoadClassesCommand.NAME,
    description = "For the script assay, which keeps the classes that this loads.",
    hidden = true)
public final class LoadClassesCommand implements Callable<Integer> {
  static final String NAME = "load-classes";

  /** Whose classes. */
  enum Kind {
    /** Of local mode. */
    LOCAL,
    /** Of the other commands. */
    CLIENT
  }

  @Parameters(paramLabel = "KIND")
  private Kind kind = Kind.CLIENT;

  @Override
  public Integer call() throws MachineException, IOException, InterruptedException {
    if (kind == Kind.LOCAL) {
      LocalMcp.loadClasses();
    }
    return ExitCode.DONE;
  }
}
