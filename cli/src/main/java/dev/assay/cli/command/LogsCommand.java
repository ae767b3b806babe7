package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the output of a run. */
@Command(
    name = "logs",
    description = "Prints the output of a run.",
    mixinStandardHelpOptions = true)
public final class LogsCommand implements Callable<Integer> {
  @Mixin private Connection connection = new Connection();

  @Parameters(paramLabel = "RUN", description = "the run's name, as 'assay runs' shows it")
  private String name = "";

  @Option(
      names = {"-f", "--follow"},
      description = "follow the output until the run has ended")
  private boolean follow;

  @Override
  public Integer call() throws ApiException, InterruptedException {
    try (AssayClient client = connection.client()) {
      var unused = new RunOutput(client, name, Thread::sleep, /* reached= */ false).print(follow);
    }
    return ExitCode.DONE;
  }
}
