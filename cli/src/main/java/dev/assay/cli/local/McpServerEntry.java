package dev.assay.cli.local;

import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An MCP server whose tools code can call, as MCP clients write it in their settings. */
public sealed interface McpServerEntry {
  /** The name that scripts call it by. */
  String name();

  /** Whether its tools can be called. */
  boolean enabled();

  /** Whether its tools are listed for review, and none can be called. */
  boolean quarantined();

  /**
   * A server that is reached by HTTP.
   *
   * @param url where it is
   * @param protocol its transport
   * @param headers of every request
   */
  record Remote(
      String name,
      boolean enabled,
      boolean quarantined,
      String url,
      Protocol protocol,
      ServerHeaders headers)
      implements McpServerEntry {}

  /**
   * A program that is started, and speaks on its standard input and output.
   *
   * @param command the program and its arguments
   * @param environment variables in addition to those of this process
   * @param directory its working directory; that of this process when absent
   */
  record Program(
      String name,
      boolean enabled,
      boolean quarantined,
      List<String> command,
      Map<String, String> environment,
      @Nullable Path directory)
      implements McpServerEntry {
    /** Without arguments and variables, which may contain credentials. */
    @Override
    public String toString() {
      return "Program[name=" + name + "]";
    }
  }
}
