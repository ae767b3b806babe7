package dev.assay.cli.local;

import java.net.URI;
import java.util.List;

/** The configuration of MCP clients. */
final class ClientConfiguration {
  private ClientConfiguration() {}

  /**
   * Lines for a person to copy.
   *
   * @param endpoint without a path
   * @param key the API key; clients that start the command find it themselves
   * @param command how this program is called, by its full path
   */
  static List<String> lines(URI endpoint, String key, String command) {
    String mcp = endpoint + "/mcp";
    String headers = "\",\"headers\":{\"Authorization\":\"Bearer " + key + "\"}";
    return List.of(
        "Claude Code      claude mcp add --transport http assay "
            + mcp
            + " --header \"Authorization: Bearer "
            + key
            + "\"",
        "VS Code          code --add-mcp '{\"name\":\"assay\",\"type\":\"http\",\"url\":\""
            + mcp
            + headers
            + "}'",
        "Claude Desktop   {\"mcpServers\":{\"assay\":{\"command\":\""
            + command
            + "\",\"args\":[\"mcp-stdio\",\"--endpoint\",\""
            + endpoint
            + "\"]}}}",
        "LobeHub          {\"mcpServers\":{\"assay\":{\"type\":\"http\",\"url\":\""
            + mcp
            + headers
            + "}}}");
  }
}
