package dev.assay.e2e;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A client of MCP that others have written. */
interface OutsideClient {
  /** Calls a tool. */
  Reply call(String tool, Map<String, Object> arguments);

  /** Reads a resource. */
  ResourceContents read(String uri);

  /** The Java SDK. */
  static OutsideClient java(Assay assay) {
    return new OutsideClient() {
      @Override
      public Reply call(String tool, Map<String, Object> arguments) {
        return assay.call(tool, arguments);
      }

      @Override
      public ResourceContents read(String uri) {
        return assay.read(uri);
      }
    };
  }

  /**
   * The Inspector's command line.
   *
   * @param era of the protocol: legacy or auto
   */
  static OutsideClient inspector(Assay assay, String era) {
    return new OutsideClient() {
      /** The exit code tells that a tool reports an error. */
      @Override
      public Reply call(String tool, Map<String, Object> arguments) {
        List<String> options = new ArrayList<>(List.of("--tool-name", tool));
        arguments.forEach(
            (key, value) ->
                options.addAll(
                    List.of(
                        "--tool-arg",
                        key
                            + "="
                            + (value instanceof String text
                                ? text
                                : Rest.JSON.valueToTree(value).toString()))));
        Programs.Finished finished = inspect(assay, era, "tools/call", options);
        if (finished.output().isBlank()) {
          finished.orFail();
        }
        return Reply.of(parsed(finished.output(), CallToolResult.class), Duration.ZERO);
      }

      @Override
      public ResourceContents read(String uri) {
        String output = inspect(assay, era, "resources/read", List.of("--uri", uri)).orFail();
        return parsed(output, ReadResourceResult.class).contents().getFirst();
      }
    };
  }

  /** Starts the Inspector with a method of MCP. */
  static Programs.Finished inspect(Assay assay, String era, String method, List<String> options) {
    Path bin = assay.installation().clients().resolve("inspector/node_modules/.bin");
    List<String> command =
        new ArrayList<>(
            List.of(
                bin.resolve("node").toString(),
                bin.resolve("mcp-inspector").toString(),
                "--cli",
                assay.installation().endpoint().toString(),
                "--transport",
                "http",
                "--protocol-era",
                era,
                "--header",
                "Authorization: Bearer " + assay.installation().key(),
                "--method",
                method));
    command.addAll(options);
    return Programs.run(command, "", Map.of("NO_COLOR", "1"));
  }

  /** A result of the protocol. */
  static <T> T parsed(String json, Class<T> type) {
    try {
      return McpJsonDefaults.getMapper().readValue(json, type);
    } catch (IOException e) {
      throw new UncheckedIOException(json, e);
    }
  }
}
