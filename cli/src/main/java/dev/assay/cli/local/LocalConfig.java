package dev.assay.cli.local;

import dev.assay.cli.jvm.JvmRunner;
import dev.assay.frontend.config.CodeExecution;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the file of settings says.
 *
 * @param codeExecution settings of scripts
 * @param toolServers the servers whose tools code can call
 */
public record LocalConfig(CodeExecution codeExecution, List<McpServerEntry> toolServers) {
  /** Without a file. */
  static final LocalConfig NONE = new LocalConfig(CodeExecution.OFF, List.of());

  /** The same with the server of the demonstration, unless another has its name. */
  public LocalConfig withDemo() {
    if (!JvmRunner.runsScripts()
        || toolServers.stream().anyMatch(server -> server.name().equals(DemoServer.NAME))) {
      return this;
    }
    return new LocalConfig(
        equals(NONE) ? CodeExecution.on() : codeExecution,
        Stream.concat(toolServers.stream(), Stream.of(DemoServer.entry())).toList());
  }
}
