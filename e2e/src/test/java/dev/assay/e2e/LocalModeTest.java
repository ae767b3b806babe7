package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.LocalKey;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** The command as a process, as a user starts it. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class LocalModeTest {
  @TempDir private Path folder;

  /** The result of a process. */
  private record Finished(int exit, String out, String err) {}

  @Test
  void runsAndDatasetsAreKeptWhereStateIs() throws Exception {
    Path tables = Files.createDirectory(folder.resolve("tables"));
    Files.writeString(tables.resolve("cars.csv"), "name,price\na,1\nb,2\n");
    Path state = folder.resolve("state");
    String[] arguments = {
      "local", "--port", "0", "--state", state.toString(), "--data", tables.toString()
    };
    String name;
    try (Serving first = new Serving(Map.of(), arguments)) {
      name = first.runToEnd("print(df['price'].sum())", "cars");
      Finished second = run(Map.of(), arguments);
      assertThat(second.exit).isEqualTo(5);
      assertThat(second.err).contains(state + " is in use by another 'assay local'");
    }
    try (Serving again = new Serving(Map.of(), arguments)) {
      assertThat(again.client.run(name).path("phase").asString()).isEqualTo("Succeeded");
      assertThat(again.output(name)).isEqualTo("3\n");
      assertThat(again.output(again.runToEnd("print(len(df))", "cars"))).isEqualTo("2\n");
    }
  }

  @Test
  void onlyWhoHasTheKeyIsServed() throws Exception {
    Path state = folder.resolve("state");
    Path keyFile = folder.resolve("xdg/assay/api-key");
    Map<String, String> own = Map.of("XDG_STATE_HOME", folder.resolve("xdg").toString());
    try (Serving serving = new Serving(own, "local", "--port", "0", "--state", state.toString());
        HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> refused =
          http.send(
              HttpRequest.newBuilder(URI.create(serving.endpoint + "/api/v1/runs")).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.body()).contains(keyFile.toString());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keyFile)))
          .isEqualTo("rw-------");

      // The commands of the same user find it.
      Finished command = run(own, "datasets", "ls", "--endpoint", serving.endpoint);
      assertThat(command.exit).as(command.err).isZero();
      Map<String, String> stranger = Map.of("XDG_STATE_HOME", folder.resolve("other").toString());
      assertThat(run(stranger, "datasets", "ls", "--endpoint", serving.endpoint).exit).isEqualTo(3);

      Path kubeconfig = state.resolve("kubeconfig");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kubeconfig)))
          .isEqualTo("rw-------");
      Config config = Config.fromKubeconfig(kubeconfig.toFile());
      try (KubernetesClient kubernetes = new KubernetesClientBuilder().withConfig(config).build()) {
        assertThat(kubernetes.namespaces().list().getItems()).isNotEmpty();
      }
      config.setOauthToken("guessed");
      try (KubernetesClient kubernetes = new KubernetesClientBuilder().withConfig(config).build()) {
        assertThatThrownBy(() -> kubernetes.namespaces().list())
            .hasMessageContaining("Unauthorized")
            .hasMessageContaining(kubeconfig.toString());
      }
    }
  }

  @Test
  void aPortThatIsTakenIsSaidBeforeAnythingTakesTime() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertLacks(run(Map.of(), "local", "--port", port), "port " + port + " is taken", "--port");
    }
  }

  @Test
  void aPythonThatIsNotThereIsSaidWithTheRemedy() throws Exception {
    assertLacks(
        run(Map.of("ASSAY_PYTHON", "/nowhere/python3"), "local", "--port", "0"),
        "/nowhere/python3 does not work",
        "ASSAY_PYTHON");
  }

  @Test
  void aPythonThatIsTooOldIsSaidWithTheRemedy() throws Exception {
    Path old = folder.resolve("python3");
    Files.writeString(old, "#!/bin/sh\nprintf '3.9.2\\tcpython\\tFalse\\t-\\tlib\\t/usr\\n'\n");
    assertThat(old.toFile().setExecutable(true)).isTrue();
    assertLacks(
        run(Map.of("ASSAY_PYTHON", old.toString()), "local", "--port", "0"),
        "is cpython 3.9.2, and Python 3.11 or later is needed",
        "ASSAY_PYTHON");
  }

  @Test
  void aFirstStartWithoutAConnectionIsSaidAndTheNextOneBeginsAnew() throws Exception {
    Map<String, String> offline =
        Map.of(
            "XDG_CACHE_HOME", folder.resolve("cache").toString(),
            "PIP_INDEX_URL", "http://127.0.0.1:9/simple",
            "PIP_RETRIES", "0");
    for (int start = 0; start < 2; start++) {
      Finished finished = run(offline, "local", "--port", "0");
      assertThat(finished.exit).as(finished.err).isEqualTo(5);
      assertThat(finished.err).contains("assay: the Python libraries could not be fetched");
    }
  }

  @Test
  void aCacheThatCannotBeWrittenIsSaidWithTheRemedy() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertLacks(
        run(Map.of("XDG_CACHE_HOME", file.toString()), "local", "--port", "0"),
        file.toString(),
        "XDG_CACHE_HOME");
  }

  @Test
  void aFolderThatIsNotThereIsSaid() throws Exception {
    assertLacks(
        run(Map.of(), "local", "--port", "0", "--data", folder.resolve("none").toString()),
        "--data: ",
        "is not a directory that can be read");
  }

  @Test
  void theServersOfItsFileOfSettingsAreListed() throws Exception {
    Path file = folder.resolve("settings.json");
    Files.writeString(
        file,
        """
        {"mcpServers": {"tickets": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}}
        """);
    try (Serving serving =
        new Serving(Map.of(), "local", "--port", "0", "--config", file.toString())) {
      assertThat(serving.client.toolServers().path("items").findValuesAsString("name"))
          .containsExactly("tickets");
    }
  }

  @Test
  void aFileOfSettingsThatIsWrongIsSaidWithTheSetting() throws Exception {
    Path file = folder.resolve("settings.json");
    Files.writeString(file, "{\"code_execution_timeout_ms\": \"long\"}");
    assertLacks(
        run(Map.of(), "local", "--port", "0", "--config", file.toString()),
        file.toString(),
        "code_execution_timeout_ms: must be a whole number");
  }

  private static void assertLacks(Finished finished, String what, String remedy) {
    assertThat(finished.exit).as(finished.err).isEqualTo(5);
    assertThat(finished.err).startsWith("assay: ").contains(what, remedy);
    assertThat(finished.err.lines()).hasSize(1);
  }

  private Finished run(Map<String, String> environment, String... arguments) throws Exception {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    ProcessBuilder builder = AssayProgram.with(arguments);
    builder.environment().putAll(environment);
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      return new Finished(process.waitFor(), Files.readString(out), Files.readString(err));
    } finally {
      process.destroy();
    }
  }

  /** A process that serves until it is closed, as by Ctrl-C. */
  private static final class Serving implements AutoCloseable {
    private final Process process;
    private final String endpoint;
    private final AssayClient client;

    @SuppressWarnings("StreamResourceLeak") // Closing it would end the process by a signal.
    Serving(Map<String, String> environment, String... arguments) throws IOException {
      ProcessBuilder builder =
          AssayProgram.with(arguments).redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().putAll(environment);
      process = builder.start();
      BufferedReader lines = process.inputReader(UTF_8);
      String line = lines.readLine();
      while (line != null && !line.startsWith("Assay serves ")) {
        line = lines.readLine();
      }
      assertThat(line).isNotNull();
      endpoint = String.valueOf(line).replaceAll("^Assay serves (\\S+)/mcp.*", "$1");
      LocalKey key =
          environment.containsKey("XDG_STATE_HOME")
              ? new LocalKey(Path.of(environment.get("XDG_STATE_HOME"), "assay", "api-key"))
              : LocalKey.ofUser();
      client = new AssayClient(Endpoint.of(endpoint, key.read().orElseThrow()));
    }

    String runToEnd(String code, String dataset) throws Exception {
      JsonNode run =
          client.createRun(AssayClient.object().put("code", code).put("dataset", dataset));
      String name = run.path("name").asString();
      try (InputStream output = client.output(name, true, 0)) {
        assertThat(output.readAllBytes()).isNotEmpty();
      }
      return name;
    }

    String output(String name) throws Exception {
      try (InputStream output = client.output(name, false, 0)) {
        return new String(output.readAllBytes(), UTF_8);
      }
    }

    @Override
    public void close() {
      client.close();
      process.destroy();
      assertThat(process.onExit().orTimeout(2, TimeUnit.MINUTES).join().isAlive()).isFalse();
    }
  }
}
