package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.local.DemoServer;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The MCP server that the demonstration of local mode starts. */
@Command(name = DemoServer.COMMAND, description = "For assay local --demo.", hidden = true)
public final class DemoServerCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException, InterruptedException {
    new DemoServer().run(System.in, System.out);
    return ExitCode.DONE;
  }
}
