package dev.assay.e2e;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command as a process, as a user or an MCP client starts it. */
final class AssayProgram {
  private AssayProgram() {}

  static ProcessBuilder with(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Djdk.virtualThreadScheduler.parallelism=16",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.assay.cli.Assay"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }
}
