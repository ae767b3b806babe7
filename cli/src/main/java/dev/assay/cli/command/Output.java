package dev.assay.cli.command;

import dev.assay.cli.client.AssayClient;
import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The output format of a command. */
final class Output {
  /** For people, or for programs. */
  enum Form {
    text,
    json
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "text",
      description = "text, or json as the REST API has it (default: text)")
  private Form form = Form.text;

  boolean isJson() {
    return form == Form.json;
  }

  static void print(CommandSpec spec, JsonNode node) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(AssayClient.pretty(node));
    out.flush();
  }
}
