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

  /** The Python SDK. */
  static OutsideClient python(Assay assay) {
    return new Program() {
      @Override
      Programs.Finished tool(String name, Map<String, Object> arguments) {
        return request("tools/call", Map.of("name", name, "arguments", arguments));
      }

      @Override
      Programs.Finished resource(String uri) {
        return request("resources/read", Map.of("uri", uri));
      }

      private Programs.Finished request(String method, Map<String, Object> parameters) {
        return Programs.run(
            List.of(
                assay.installation().clients().resolve("python/bin/python").toString(),
                "-I",
                Path.of("clients/python/call.py").toAbsolutePath().toString(),
                assay.installation().endpoint().toString(),
                method),
            Rest.JSON.valueToTree(parameters).toString(),
            Map.of("ASSAY_E2E_KEY", assay.installation().key()));
      }
    };
  }

  /**
   * The Inspector's command line.
   *
   * @param era of the protocol: legacy or auto
   */
  static OutsideClient inspector(Assay assay, String era) {
    return new Program() {
      @Override
      Programs.Finished tool(String name, Map<String, Object> arguments) {
        List<String> options = new ArrayList<>(List.of("--tool-name", name));
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
        return inspect(assay, era, "tools/call", options);
      }

      @Override
      Programs.Finished resource(String uri) {
        return inspect(assay, era, "resources/read", List.of("--uri", uri));
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

  /** A program that prints results of the protocol. */
  abstract class Program implements OutsideClient {
    abstract Programs.Finished tool(String name, Map<String, Object> arguments);

    abstract Programs.Finished resource(String uri);

    /** The exit code of some programs tells that a tool reports an error. */
    @Override
    public Reply call(String tool, Map<String, Object> arguments) {
      Programs.Finished finished = tool(tool, arguments);
      if (finished.output().isBlank()) {
        finished.orFail();
      }
      return Reply.of(parsed(finished.output(), CallToolResult.class), Duration.ZERO);
    }

    @Override
    public ResourceContents read(String uri) {
      return parsed(resource(uri).orFail(), ReadResourceResult.class).contents().getFirst();
    }

    private static <T> T parsed(String json, Class<T> type) {
      try {
        return McpJsonDefaults.getMapper().readValue(json, type);
      } catch (IOException e) {
        throw new UncheckedIOException(json, e);
      }
    }
  }
}
