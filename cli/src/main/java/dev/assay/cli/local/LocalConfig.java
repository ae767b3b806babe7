package dev.assay.cli.local;

import dev.assay.cli.jvm.JvmRunner;
import dev.assay.frontend.config.CodeExecution;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the file of settings says.
 *
 * @param codeExecution settings of scripts
 * @param scriptsAtOnce how many scripts run at a time; others wait for their turns
 * @param toolServers the servers whose tools code can call
 */
public record LocalConfig(
    CodeExecution codeExecution, int scriptsAtOnce, List<McpServerEntry> toolServers) {
  /** As in the chart. */
  public static final int DEFAULT_SCRIPTS_AT_ONCE = 10;

  /** Without a file. */
  static final LocalConfig NONE =
      new LocalConfig(CodeExecution.OFF, DEFAULT_SCRIPTS_AT_ONCE, List.of());

  /** With the usual settings of scripts. */
  public static LocalConfig withScripts() {
    return new LocalConfig(CodeExecution.on(), DEFAULT_SCRIPTS_AT_ONCE, List.of());
  }

  /** Whether code may call tools of other servers. */
  boolean hasTools() {
    return codeExecution.isEnabled() || !toolServers.isEmpty();
  }

  /** The same with the server of the demonstration, unless another has its name. */
  public LocalConfig withDemo() {
    if (!JvmRunner.runsScripts()
        || toolServers.stream().anyMatch(server -> server.name().equals(DemoServer.NAME))) {
      return this;
    }
    return new LocalConfig(
        equals(NONE) ? CodeExecution.on() : codeExecution,
        scriptsAtOnce,
        Stream.concat(toolServers.stream(), Stream.of(DemoServer.entry())).toList());
  }
}
