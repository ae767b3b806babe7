package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.local.Machine;
import dev.assay.cli.python.PythonEnvironment;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what is missing. */
@Command(
    name = "doctor",
    description = "Says what this machine has and lacks, and how to get it.",
    mixinStandardHelpOptions = true)
public final class DoctorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();

  @Option(
      names = "--repair",
      description = "throw the Python libraries away; the next start fetches them again")
  private boolean repair;

  @Override
  public Integer call() throws MachineException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (repair) {
      PythonEnvironment.discard();
      out.println("removed  " + PythonEnvironment.location());
    }
    List<Machine.Finding> findings = Machine.examine();
    for (Machine.Finding finding : findings) {
      out.println((finding.good() ? "ok       " : "missing  ") + finding.sentence());
    }
    out.println(endpoint());
    return findings.stream().allMatch(Machine.Finding::good) ? ExitCode.DONE : ExitCode.MACHINE;
  }

  /** Nobody has to listen for this machine to be well. */
  private String endpoint() throws InterruptedException {
    try (AssayClient client = connection.client()) {
      var unused = client.runs(Map.of("limit", "1"));
      return "ok       " + connection.endpoint().uri() + " answers";
    } catch (ApiException e) {
      return "note     " + e.getMessage();
    }
  }
}
