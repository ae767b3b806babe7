package dev.assay.e2e;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A client of MCP from a package, as a program beside {@code clients/sessions/session.py}. */
enum ClientProgram {
  /** The official Python SDK. */
  PYTHON("agents/bin/python", "with_mcp.py"),
  FASTMCP("agents/bin/python", "with_fastmcp.py"),
  OPENAI_AGENTS("agents/bin/python", "with_openai_agents.py"),
  LANGCHAIN("langchain/bin/python", "with_langchain.py"),
  /** {@code @modelcontextprotocol/sdk}. */
  TYPESCRIPT_1("typescript/node_modules/.bin/node", "with_typescript_1.cjs"),
  /** {@code @modelcontextprotocol/client}. */
  TYPESCRIPT_2("typescript/node_modules/.bin/node", "with_typescript_2.cjs");

  private static final Path SESSIONS = Path.of("clients/sessions");

  private final String interpreter;
  private final String program;

  ClientProgram(String interpreter, String program) {
    this.interpreter = interpreter;
    this.program = program;
  }

  /** How it reaches the server. */
  enum Transport {
    HTTP {
      @Override
      List<String> arguments(Installation server) {
        return List.of("http", server.endpoint().toString());
      }
    },
    /** It starts the bridge to the endpoint. */
    STDIO {
      @Override
      List<String> arguments(Installation server) {
        List<String> arguments = new ArrayList<>(List.of("stdio"));
        String endpoint = server.endpoint().resolve("/").toString();
        arguments.addAll(AssayProgram.with("mcp-stdio", "--endpoint", endpoint).command());
        return arguments;
      }
    };

    abstract List<String> arguments(Installation server);
  }

  /** The program that serves a session with a server. */
  ProcessBuilder on(Transport transport, Installation server) {
    Path installed = OutsidePython.clients();
    List<String> command =
        new ArrayList<>(
            List.of(
                installed.resolve(interpreter).toString(),
                SESSIONS.resolve(program).toAbsolutePath().toString()));
    command.addAll(transport.arguments(server));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .putAll(
            Map.of(
                "ASSAY_API_KEY",
                server.key(),
                "NODE_PATH",
                installed.resolve("typescript/node_modules").toString(),
                "PYTHONDONTWRITEBYTECODE",
                "1"));
    return builder;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
