package dev.assay.cli;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.command.ArtifactsCommand;
import dev.assay.cli.command.CancelCommand;
import dev.assay.cli.command.CodeCommand;
import dev.assay.cli.command.CompletionCommand;
import dev.assay.cli.command.DatasetsCommand;
import dev.assay.cli.command.DemoServerCommand;
import dev.assay.cli.command.DoctorCommand;
import dev.assay.cli.command.LoadClassesCommand;
import dev.assay.cli.command.LocalCommand;
import dev.assay.cli.command.LogsCommand;
import dev.assay.cli.command.McpStdioCommand;
import dev.assay.cli.command.RunCommand;
import dev.assay.cli.command.RunsCommand;
import dev.assay.cli.command.StdioBridgeCommand;
import dev.assay.cli.command.ToolsCommand;
import dev.assay.cli.text.CommandHints;
import dev.assay.cli.text.TerminalText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line. */
@Command(
    name = "assay",
    description = "Runs Python over shared datasets, on this machine or in a cluster.",
    mixinStandardHelpOptions = true,
    versionProvider = Assay.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done; of a run: it succeeded",
      "1:the code of a run raised, ended with an error, or was refused by the guard",
      "2:the command line is wrong",
      "3:the endpoint could not be reached, or refused the request",
      "4:a run failed for another reason than its code, such as memory or a lost Pod; a dataset"
          + " could not be loaded; or 'doctor' found code mode or a cluster that does not work",
      "5:this machine lacks something; the message says how to get it",
      "6:an error in this program; ASSAY_LOG_LEVEL=DEBUG shows where",
      "124:a run took longer than its time limit",
      "130:a run was cancelled, or the command was interrupted"
    })
public final class Assay implements Runnable {
  private static final List<Class<?>> COMMANDS =
      List.of(
          LocalCommand.class,
          RunCommand.class,
          RunsCommand.class,
          LogsCommand.class,
          ArtifactsCommand.class,
          CancelCommand.class,
          CodeCommand.class,
          DatasetsCommand.class,
          ToolsCommand.class,
          DoctorCommand.class,
          McpStdioCommand.class,
          StdioBridgeCommand.class,
          CompletionCommand.class,
          DemoServerCommand.class,
          LoadClassesCommand.class);

  /** The version that this was built with. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Assay.class.getPackage().getImplementationVersion();
      return new String[] {"assay " + (version == null ? "development" : version)};
    }
  }

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  /** Ends the process with one of the exit codes that the help lists. */
  public static void main(String[] args) {
    // The libraries bring settings of their own, for processes that log to a collector.
    System.setProperty("logback.configurationFile", "dev/assay/cli/logback.xml");
    // A client waits for its first reply, and reading the options of all commands takes longer than
    // all else until then.
    boolean isForClient = args.length > 0 && args[0].equals(McpStdioCommand.NAME);
    List<Class<?>> commands = isForClient ? List.of(McpStdioCommand.class) : COMMANDS;
    System.exit(commandLine(commands).execute(args));
  }

  /** The parser, with all subcommands. */
  public static CommandLine commandLine() {
    return commandLine(COMMANDS);
  }

  private static CommandLine commandLine(List<Class<?>> commands) {
    CommandLine commandLine = new CommandLine(new Assay());
    commands.forEach(commandLine::addSubcommand);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    commandLine.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    commandLine.setParameterExceptionHandler(Assay::explain);
    commandLine.setExecutionExceptionHandler(Assay::tell);
    return commandLine;
  }

  /** Without a subcommand, prints the usage. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Not the whole usage, in which the message would be lost. */
  private static int explain(ParameterException e, String[] arguments) {
    PrintWriter err = e.getCommandLine().getErr();
    err.println("assay: " + TerminalText.printable(String.valueOf(e.getMessage())));
    if (!UnmatchedArgumentException.printSuggestions(e, err)) {
      err.println("See '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'");
    }
    return ExitCode.USAGE;
  }

  private static int tell(Exception e, CommandLine commandLine, ParseResult parsed) {
    Optional<MachineException> full =
        e instanceof IOException io ? MachineException.of(io) : Optional.empty();
    if (full.isPresent()) {
      return tell(full.get(), commandLine, parsed);
    }
    String message = String.valueOf(e.getMessage());
    return switch (e) {
      case ApiException refused -> end(commandLine, ExitCode.ENDPOINT, CommandHints.of(message));
      case MachineException lacking -> end(commandLine, ExitCode.MACHINE, message);
      default -> {
        // Not a constant: its settings are not there yet when this class is loaded.
        LoggerFactory.getLogger(Assay.class).debug("The command failed", e);
        yield end(
            commandLine,
            ExitCode.INTERNAL,
            "unexpected error: " + e + " (ASSAY_LOG_LEVEL=DEBUG shows where)");
      }
    };
  }

  private static int end(CommandLine commandLine, int exitCode, String message) {
    commandLine.getErr().println("assay: " + TerminalText.printable(message));
    return exitCode;
  }
}
