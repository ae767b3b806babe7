package dev.assay.cli.stdio;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a program is started. It has the rights, the environment and, unless it is given another, the
 * working directory of this process.
 *
 * @param command the program and its arguments
 * @param environment variables in addition
 * @param directory its working directory; that of this process when absent
 */
public record StdioCommand(
    List<String> command, Map<String, String> environment, @Nullable Path directory) {

  Process start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    if (directory != null) {
      builder.directory(directory.toFile());
    }
    return builder.start();
  }

  /** Without arguments and variables, which may contain credentials. */
  @Override
  public String toString() {
    return command.getFirst();
  }
}
