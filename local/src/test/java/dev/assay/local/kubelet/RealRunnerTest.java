package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.PossibleIsolation;
import dev.assay.local.isolation.PythonInterpreter;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real supervisor and launcher. {@code assay.runner.python} is an interpreter that has the
 * runner and its libraries, {@code assay.runner.paths} the directories where they are, separated by
 * colons.
 */
@EnabledIfSystemProperty(
    named = "assay.runner.python",
    matches = ".+",
    disabledReason = "needs an interpreter that has the runner's libraries")
class RealRunnerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PUBLIC_KEY_BYTES = 32;

  @TempDir private Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  @ParameterizedTest
  @EnumSource(Isolation.class)
  void codeRunsAndItsPodEnds(Isolation isolation) throws Exception {
    assumeThat(PossibleIsolation.works(isolation)).as("%s works here", isolation).isTrue();
    KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    try (RunningKubelet kubelet =
        new RunningKubelet(
            isolation,
            directory,
            PythonInterpreter.find(System.getProperty("assay.runner.python")),
            paths(),
            List.of("python3", "-I", "-m", "assay_runner.supervisor"))) {
      Pod pod = kubelet.create(Pods.build("real", worker(), supervisor(keys)));
      Pod running = kubelet.awaitRunning(pod);
      kubelet.awaitLog(pod, Pods.SUPERVISOR, "listening");
      String address = "http://" + running.getStatus().getPodIP() + ":" + Pods.PORT + "/v1/";
      String nonce = get(address + "hello").path("nonce").asText();
      String uid = pod.getMetadata().getUid();
      ObjectNode job = JSON.createObjectNode().put("kind", "python");
      job.put("code", "import os\nprint(os.getcwd(), open('note', 'w').write('x'))");
      job.putObject("limits")
          .put("timeoutMs", 60_000)
          .put("startTimeoutMs", 60_000)
          .put("stopGraceMs", 500)
          .put("outputBytes", 1024);

      post(address, keys, request("stage", uid, nonce).set("job", job));
      List<String> events = post(address, keys, request("start", uid, nonce)).lines().toList();
      JsonNode result = JSON.readTree(events.getLast());
      post(address, keys, request("ack", uid, nonce).put("seq", result.path("seq").asInt()));
      Pod ended = kubelet.awaitEnd(pod);

      assertThat(result.path("outcome").asText()).as("%s", events).isEqualTo("Succeeded");
      assertThat(result.path("output").path("bytes").asInt()).isPositive();
      assertThat(ended.getStatus().getPhase()).isEqualTo("Succeeded");
    }
  }

  private static List<Path> paths() {
    return Stream.of(System.getProperty("assay.runner.paths", "").split(":", -1))
        .filter(path -> !path.isEmpty())
        .map(Path::of)
        .toList();
  }

  private static Container worker() {
    return new ContainerBuilder(Pods.worker(""))
        .withCommand("python3", "-I", "-m", "assay_runner.launcher", "python")
        .withArgs(List.of())
        .build();
  }

  private static Container supervisor(KeyPair keys) {
    byte[] encoded = keys.getPublic().getEncoded();
    byte[] raw = Arrays.copyOfRange(encoded, encoded.length - PUBLIC_KEY_BYTES, encoded.length);
    return new ContainerBuilder(Pods.supervisor(""))
        .withCommand("python3", "-I", "-m", "assay_runner.supervisor")
        .withArgs(List.of())
        .addNewEnv()
        .withName("ASSAY_POD_NAMESPACE")
        .withValue(RunningKubelet.NAMESPACE)
        .endEnv()
        .addNewEnv()
        .withName("ASSAY_PUBLIC_KEYS")
        .withValue("k1=" + Base64.getEncoder().encodeToString(raw))
        .endEnv()
        .build();
  }

  private static ObjectNode request(String op, String podUid, String nonce) {
    return JSON.createObjectNode()
        .put("op", op)
        .put("namespace", RunningKubelet.NAMESPACE)
        .put("runUid", "run-1")
        .put("podUid", podUid)
        .put("nonce", nonce)
        .put("notAfter", System.currentTimeMillis() + 600_000);
  }

  private JsonNode get(String uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
    return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  private String post(String address, KeyPair keys, JsonNode body)
      throws IOException, InterruptedException, GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(keys.getPrivate());
    signature.update("assay-runner/v1\n".getBytes(StandardCharsets.UTF_8));
    signature.update(body.toString().getBytes(StandardCharsets.UTF_8));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + body.path("op").asText()))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Assay-Key-Id", "k1")
            .header("Assay-Signature", Base64.getEncoder().encodeToString(signature.sign()))
            .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }
}
