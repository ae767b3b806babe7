package dev.assay.cli.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Scripts. */
@Command(
    name = "code",
    description = "Executes scripts in JavaScript and TypeScript.",
    mixinStandardHelpOptions = true,
    subcommands = CodeExecCommand.class)
public final class CodeCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    CommandLine commandLine = spec.commandLine();
    throw new ParameterException(commandLine, "Missing required subcommand: exec");
  }
}
