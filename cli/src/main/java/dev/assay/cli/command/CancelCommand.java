package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Cancels a run. */
@Command(
    name = "cancel",
    description = "Cancels a run; its output is kept.",
    mixinStandardHelpOptions = true)
public final class CancelCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "RUN", description = "the run's name, as 'assay runs' shows it")
  private String name = "";

  @Override
  public Integer call() throws ApiException, InterruptedException {
    try (AssayClient client = connection.client()) {
      AssayClient.Cancelled cancelled = client.cancel(name);
      String phase = cancelled.run().path("phase").asString("Pending");
      if (output.isJson()) {
        Output.print(spec, cancelled.run());
      } else {
        spec.commandLine()
            .getOut()
            .println(
                cancelled.hadEnded()
                    ? name + " had ended before: " + phase + "; nothing was done"
                    : name + ": " + phase + ", asked to stop");
      }
    }
    return ExitCode.DONE;
  }
}
