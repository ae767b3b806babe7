package dev.assay.cli.local;

import java.net.URI;
import java.util.List;

/** What people write into their MCP clients. */
final class ClientConfiguration {
  private ClientConfiguration() {}

  /**
   * Lines for a person to copy.
   *
   * @param endpoint without a path
   * @param command how this program is called, by its full path
   */
  static List<String> lines(URI endpoint, String command) {
    String mcp = endpoint + "/mcp";
    return List.of(
        "Claude Code      claude mcp add --transport http assay " + mcp,
        "VS Code          code --add-mcp '{\"name\":\"assay\",\"type\":\"http\",\"url\":\""
            + mcp
            + "\"}'",
        "Claude Desktop   {\"mcpServers\":{\"assay\":{\"command\":\""
            + command
            + "\",\"args\":[\"mcp-stdio\",\"--endpoint\",\""
            + endpoint
            + "\"]}}}",
        "LobeHub          {\"mcpServers\":{\"assay\":{\"type\":\"http\",\"url\":\"" + mcp + "\"}}}");
  }
}
