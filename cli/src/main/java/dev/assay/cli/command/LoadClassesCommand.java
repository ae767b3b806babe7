package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.local.DemoServer;
import dev.assay.cli.local.LocalMcp;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Trains the AOT cache: loads the classes that later starts need. */
@Command(
    name = LoadClassesCommand.NAME,
    description = "For the script assay: trains its AOT cache.",
    hidden = true)
public final class LoadClassesCommand implements Callable<Integer> {
  static final String NAME = "load-classes";

  /** Which program. */
  enum Kind {
    /** Local mode. */
    LOCAL,
    /** The other commands. */
    CLIENT
  }

  @Parameters(paramLabel = "KIND")
  private Kind kind = Kind.CLIENT;

  @Override
  public Integer call() throws MachineException, IOException, InterruptedException {
    if (kind == Kind.LOCAL) {
      LocalMcp.loadClasses();
      new DemoServer().run(InputStream.nullInputStream(), OutputStream.nullOutputStream());
    }
    return ExitCode.DONE;
  }
}
