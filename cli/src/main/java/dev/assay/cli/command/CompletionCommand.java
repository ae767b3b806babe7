package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints a completion script. */
@Command(
    name = "completion",
    description = "Prints a completion script for bash and zsh: source <(assay completion)",
    mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine()
        .getOut()
        .println(AutoComplete.bash("assay", spec.root().commandLine()));
    return ExitCode.DONE;
  }
}
