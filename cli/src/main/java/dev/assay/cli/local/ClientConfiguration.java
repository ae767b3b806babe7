package dev.assay.cli.local;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * The configuration of MCP clients. It never contains the API key: arguments of a command can be
 * read in the process list and in the history of the shell.
 */
final class ClientConfiguration {
  private ClientConfiguration() {}

  /**
   * Lines for a person to copy.
   *
   * @param endpoint without a path
   * @param keyFile the file with the API key; clients that start the command need not know it
   * @param command how this program is called, by its full path
   */
  static List<String> lines(URI endpoint, Path keyFile, String command) {
    String server =
        "\"command\":\""
            + command
            + "\",\"args\":[\"mcp-stdio\",\"--endpoint\",\""
            + endpoint
            + "\"]";
    return List.of(
        "Claude Code      claude mcp add assay -- "
            + Shell.quoted(command)
            + " mcp-stdio --endpoint "
            + endpoint,
        "VS Code          code --add-mcp " + Shell.quoted("{\"name\":\"assay\"," + server + "}"),
        "Claude Desktop   {\"mcpServers\":{\"assay\":{" + server + "}}}",
        "HTTP clients     {\"mcpServers\":{\"assay\":{\"type\":\"http\",\"url\":\""
            + endpoint
            + "/mcp\",\"headers\":{\"Authorization\":\"Bearer KEY\"}}}}",
        "                 with the content of " + keyFile + " in place of KEY");
  }
}
