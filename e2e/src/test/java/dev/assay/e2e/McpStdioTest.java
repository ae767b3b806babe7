package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Local mode as started by an MCP client, with one line of its configuration. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class McpStdioTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern LOBEHUB_COMMAND =
      Pattern.compile("```json\n(\\{\"mcpServers\": [^`]*\"command\"[^`]*)```");

  @TempDir private Path folder;
  private Path tables = Path.of("");

  @BeforeEach
  void tables() throws IOException {
    tables = Files.createDirectory(folder.resolve("tables"));
    Files.writeString(tables.resolve("cars.csv"), "name,price\nKäfer,1\nb,2\n");
  }

  @Test
  void anAgentListsLoadsAndRunsOverItsOwnFiles() throws Exception {
    // A locale without umlauts must not matter.
    try (Client client = new Client(Map.of("LC_ALL", "C"), "--data", tables.toString())) {
      assertThat(client.initialize().at("/serverInfo/name").asText()).isEqualTo("assay");
      JsonNode atOnce = client.ask("tools/list", JSON.createObjectNode()).get("tools");
      assertThat(atOnce).isNotEmpty();
      assertThat(client.callOnceSetUp("cars", "print(df.to_string())"))
          .contains("Käfer")
          .doesNotContain("EXECUTION ERROR");
      assertThat(client.ask("tools/list", JSON.createObjectNode()).get("tools")).isEqualTo(atOnce);
      ObjectNode load =
          JSON.createObjectNode()
              .put("dataset_name", "first")
              .put("volume", "data")
              .put("path", "cars.csv");
      load.putObject("options").put("nrows", 1);
      assertThat(client.call("load_dataset", load)).doesNotContain("ERROR");
      assertThat(client.call(Assay.TOOL, "first", "print(len(df))")).isEqualTo("1\n");

      List<ProcessHandle> children = client.process.descendants().toList();
      client.closeInput();
      assertThat(client.process.waitFor()).isZero();
      assertThat(client.output.readLine()).isNull();
      assertThat(children).noneMatch(ProcessHandle::isAlive);
    }
  }

  @Tag("slow")
  @Test
  void theEntryForLobeHubProfilesAnOwnFileWithItsSettings() throws Exception {
    String page = Files.readString(Path.of("../docs/agents.md"));
    Matcher block = LOBEHUB_COMMAND.matcher(page);
    assertThat(block.find()).isTrue();
    JsonNode entry = JSON.readTree(block.group(1)).at("/mcpServers/code-server-analytics");
    assertThat(entry.path("command").asText()).endsWith("/assay");
    List<String> arguments = new ArrayList<>();
    entry
        .path("args")
        .forEach(
            argument ->
                arguments.add(argument.asText().replace("/path/to/tables", tables.toString())));
    assertThat(arguments.removeFirst()).isEqualTo("mcp-stdio");
    Map<String, String> environment = new HashMap<>();
    entry.path("env").properties().forEach(e -> environment.put(e.getKey(), e.getValue().asText()));

    try (Client client = new Client(environment, arguments.toArray(String[]::new))) {
      client.initialize();
      assertThat(client.callOnceSetUp("cars", "import os; print(os.environ['POLARS_MAX_THREADS'])"))
          .isEqualTo("4\n");
      assertThat(
              client.call(
                  "analytics_profile_dataset", JSON.createObjectNode().put("file_path", "cars")))
          .startsWith("cars: 2 rows x 2 columns");
      ObjectNode query =
          JSON.createObjectNode()
              .put("query_type", "sql")
              .put("query", "SELECT current_setting('memory_limit') AS memory");
      query.putArray("files");
      assertThat(client.call("analytics_execute_query", query)).endsWith("memory\n1.8 GiB");
    }
  }

  @Tag("slow")
  @Test
  void aSignalEndsItWithAllThatItStarted() throws Exception {
    try (Client client = new Client(Map.of(), "--data", tables.toString())) {
      client.initialize();
      assertThat(client.callOnceSetUp("cars", "print(len(df))")).isEqualTo("2\n");
      client.send(
          "tools/call",
          JSON.createObjectNode()
              .put("name", Assay.TOOL)
              .set(
                  "arguments",
                  JSON.createObjectNode()
                      .put("dataset_name", "cars")
                      .put("python_code", "while True: pass")));
      ProcessHandle child = awaitChild(client.process);
      client.process.destroy();
      client.process.waitFor();
      child.onExit().join();
    }
  }

  /** Polls, since nothing announces a process; the test's own time limit bounds it. */
  private static ProcessHandle awaitChild(Process process) throws InterruptedException {
    Optional<ProcessHandle> child = process.descendants().findFirst();
    while (child.isEmpty()) {
      Thread.sleep(50);
      child = process.descendants().findFirst();
    }
    return child.get();
  }

  @Tag("slow")
  @Test
  void whilePythonIsBeingSetUpTheClientIsAnsweredAndNothingIsLeftBehind() throws Exception {
    // Reader and writer of a named pipe wait for each other.
    Path pid = folder.resolve("pid");
    assertThat(new ProcessBuilder("mkfifo", pid.toString()).start().waitFor()).isZero();
    Path python =
        script(
            "case \"$*\" in",
            "*'-m venv'*) echo $$ > '" + pid + "'; exec sleep 600;;",
            "*) printf '3.11.2\\tcpython\\tTrue\\t-\\tlib\\t/usr\\n';;",
            "esac");
    Map<String, String> environment =
        Map.of("ASSAY_PYTHON", python.toString(), "XDG_CACHE_HOME", folder + "/cache");
    try (Client client = new Client(environment, "--data", tables.toString())) {
      client.initialize();
      assertThat(client.ask("tools/list", JSON.createObjectNode()).get("tools")).isNotEmpty();
      long setup = Long.parseLong(Files.readString(pid).strip());
      client.closeInput();
      assertThat(client.process.waitFor()).isZero();
      ProcessHandle.of(setup).ifPresent(process -> process.onExit().join());
    }
  }

  @Tag("slow")
  @Test
  void whatTheMachineLacksIsToldToTheAgent() throws Exception {
    Map<String, String> environment = Map.of("ASSAY_PYTHON", "/nowhere/python3");
    try (Client client = new Client(environment, "--data", tables.toString())) {
      client.initialize();
      assertThat(client.callOnceSetUp("cars", "print(1)"))
          .startsWith("EXECUTION ERROR: ")
          .contains("/nowhere/python3 does not work", "ASSAY_PYTHON");
      client.closeInput();
      assertThat(client.process.waitFor()).isEqualTo(5);
    }
  }

  @Tag("slow")
  @Test
  void aServerInItsFileOfSettingsSwitchesScriptsOn() throws Exception {
    Path file = folder.resolve("settings.json");
    Files.writeString(
        file,
        """
        {"mcpServers": {"tickets": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}}
        """);
    try (Client client =
        new Client(Map.of(), "--data", tables.toString(), "--config", file.toString())) {
      client.initialize();
      assertThat(client.ask("tools/list", JSON.createObjectNode()).findValuesAsText("name"))
          .contains("code_execution", "search_tools", "describe_tools");
    }
  }

  @Tag("slow")
  @Test
  void aFolderThatIsNotThereIsSaidOnStandardError() throws Exception {
    try (Client client = new Client(Map.of(), "--data", folder + "/none")) {
      assertThat(client.process.waitFor()).isEqualTo(5);
      assertThat(client.output.readLine()).isNull();
      assertThat(client.errors()).startsWith("assay: --data: ").hasLineCount(1);
    }
  }

  private Path script(String... lines) throws IOException {
    Path file = folder.resolve("python3");
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  /** Starts a command as an MCP client does. */
  private final class Client implements AutoCloseable {
    private final Path errors = Files.createTempFile(folder, "err", "");
    private final Process process;
    private final BufferedWriter input;
    private final BufferedReader output;
    private int id;

    Client(Map<String, String> environment, String... arguments) throws IOException {
      String[] all = new String[arguments.length + 1];
      all[0] = "mcp-stdio";
      System.arraycopy(arguments, 0, all, 1, arguments.length);
      ProcessBuilder builder = AssayProgram.with(all).redirectError(errors.toFile());
      builder.environment().putAll(environment);
      process = builder.start();
      input = process.outputWriter(UTF_8);
      output = process.inputReader(UTF_8);
    }

    JsonNode initialize() throws IOException {
      ObjectNode parameters = JSON.createObjectNode().put("protocolVersion", "2025-06-18");
      parameters.putObject("capabilities");
      parameters.putObject("clientInfo").put("name", "test").put("version", "1");
      JsonNode result = ask("initialize", parameters);
      write(JSON.createObjectNode().put("method", "notifications/initialized"));
      return result;
    }

    /** Runs code; where local mode is still being set up, tries again as the reply says. */
    String callOnceSetUp(String dataset, String code) throws IOException {
      String text;
      do {
        text = call(Assay.TOOL, dataset, code);
      } while (text.startsWith("EXECUTION ERROR: Assay is still being set up"));
      return text;
    }

    /** The text of a tool's reply. */
    String call(String tool, String dataset, String code) throws IOException {
      return call(
          tool, JSON.createObjectNode().put("dataset_name", dataset).put("python_code", code));
    }

    String call(String tool, ObjectNode arguments) throws IOException {
      JsonNode result =
          ask("tools/call", JSON.createObjectNode().put("name", tool).set("arguments", arguments));
      return result.at("/content/0/text").asText();
    }

    JsonNode ask(String method, JsonNode parameters) throws IOException {
      send(method, parameters);
      String line = output.readLine();
      assertThat(line).as(errors()).isNotNull();
      JsonNode reply = JSON.readTree(line);
      assertThat(reply.path("id").asInt()).isEqualTo(id);
      assertThat(reply.has("result")).as(line).isTrue();
      return reply.get("result");
    }

    void send(String method, JsonNode parameters) throws IOException {
      ObjectNode request = JSON.createObjectNode().put("id", ++id).put("method", method);
      request.set("params", parameters);
      write(request);
    }

    private void write(ObjectNode message) throws IOException {
      input.write(message.put("jsonrpc", "2.0") + "\n");
      input.flush();
    }

    String errors() throws IOException {
      return Files.readString(errors);
    }

    void closeInput() throws IOException {
      input.close();
    }

    @Override
    public void close() {
      process.destroy();
      assertThat(process.onExit().orTimeout(2, TimeUnit.MINUTES).join().isAlive()).isFalse();
    }
  }
}
