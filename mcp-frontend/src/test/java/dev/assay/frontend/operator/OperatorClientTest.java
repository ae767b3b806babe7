package dev.assay.frontend.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ToolCallRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class OperatorClientTest {
  @TempDir static Path directory;

  @SuppressWarnings("NullAway.Init") // Set before all tests.
  private static HttpsServer server;

  private static volatile HttpHandler handler = exchange -> {};

  @BeforeAll
  static void start() throws Exception {
    char[] password = "not-a-secret".toCharArray();
    Path store = directory.resolve("store.p12");
    Process made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "op",
                "-keyalg",
                "EC",
                "-dname",
                "CN=op",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(password))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    assertThat(made.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password);
    }
    Files.writeString(
        directory.resolve("ca.crt"),
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(keys.getCertificate("op").getEncoded())
            + "\n-----END CERTIFICATE-----\n");
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, password);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", exchange -> handler.handle(exchange));
    server.start();
    Files.writeString(directory.resolve("token"), "token-1\n");
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  @Test
  void outputIsReadWithTheTokenAsItIsNow() throws Exception {
    handler =
        exchange -> {
          String said =
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization");
          answer(exchange, 200, said.getBytes(UTF_8));
        };
    Path token = directory.resolve("token-2");
    Files.writeString(token, "first");
    OperatorOutputs outputs = outputs(token, Duration.ofSeconds(5));

    assertThat(text(outputs.read("runs", "uid-1", 0, 1000)))
        .isEqualTo("/internal/v1/namespaces/runs/runs/uid-1/output?offset=0 Bearer first");
    Files.writeString(token, "second");
    assertThat(text(outputs.read("runs", "uid-1", 42, 1000))).endsWith("offset=42 Bearer second");
  }

  @Test
  void anArtifactIsReadByItsNumber() throws Exception {
    handler =
        exchange -> answer(exchange, 200, exchange.getRequestURI().toString().getBytes(UTF_8));
    OperatorOutputs outputs = outputs(directory.resolve("token"), Duration.ofSeconds(5));

    assertThat(text(outputs.readArtifact("runs", "uid-1", 7, 42, 1000)))
        .isEqualTo("/internal/v1/namespaces/runs/runs/uid-1/artifacts/7?offset=42&length=1000");
    assertThat(text(outputs.readArtifact("runs", "uid-1", 7, 42, 9))).isEqualTo("/internal");
  }

  @Test
  void theValueOfARunIsReadByItself() throws Exception {
    handler =
        exchange -> answer(exchange, 200, exchange.getRequestURI().toString().getBytes(UTF_8));
    OperatorOutputs outputs = outputs(directory.resolve("token"), Duration.ofSeconds(5));
    assertThat(text(outputs.readValue("runs", "uid-1")))
        .isEqualTo("/internal/v1/namespaces/runs/runs/uid-1/value");
    handler = exchange -> answer(exchange, 404, new byte[0]);
    assertThat(outputs.readValue("runs", "uid-1")).isEqualTo(new OutputStore.Absent());
    handler = exchange -> answer(exchange, 200, new byte[Bounds.MAX_VALUE_BYTES + 1]);
    assertThat(outputs.readValue("runs", "uid-1"))
        .isInstanceOfSatisfying(
            OutputStore.Bytes.class,
            bytes -> assertThat(bytes.bytes()).hasSize(Bounds.MAX_VALUE_BYTES));
  }

  private static String call(int number, String more) {
    return ("{\"call\":%d,\"server\":\"s\",\"tool\":\"t\",\"digest\":\"d\",\"argumentBytes\":2,"
            + "\"argumentSha256\":\"a\",\"sent\":\"no\",\"later\":1%s}\n")
        .formatted(number, more);
  }

  @Test
  void recordsOfCallsAreReadAPageAtATime() throws Exception {
    handler =
        exchange ->
            answer(
                exchange,
                200,
                exchange.getRequestURI().getPath().endsWith("/namespaces/runs/runs/uid-1/calls")
                    ? (call(1, "") + call(2, ",\"outcome\":\"ACCESS_DENIED\"") + call(4, ""))
                        .getBytes(UTF_8)
                    : new byte[0]);
    OperatorOutputs outputs = outputs(directory.resolve("token"), Duration.ofSeconds(5));

    OutputStore.Calls first = calls(outputs.readCalls("runs", "uid-1", 0, 2));
    assertThat(first.records()).extracting(ToolCallRecord::call).containsExactly(1, 2);
    assertThat(first.records().getLast().outcome()).isEqualTo("ACCESS_DENIED");
    assertThat(first.hasMore()).isTrue();
    OutputStore.Calls second = calls(outputs.readCalls("runs", "uid-1", 2, 2));
    assertThat(second.records()).extracting(ToolCallRecord::call).containsExactly(4);
    assertThat(second.hasMore()).isFalse();
  }

  @Test
  void ofRecordsWithoutEndAPageIsTaken() throws Exception {
    String arguments = ",\"arguments\":\"" + "x".repeat(16_384) + "\"";
    handler =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            for (int number = 1; ; number++) {
              out.write(call(number, arguments).getBytes(UTF_8));
            }
          } catch (IOException e) {
            // The client has let go, as it should.
          }
        };
    OperatorOutputs outputs = outputs(directory.resolve("token"), Duration.ofSeconds(5));

    OutputStore.Calls few = calls(outputs.readCalls("runs", "u", 100, 3));
    assertThat(few.records()).extracting(ToolCallRecord::call).containsExactly(101, 102, 103);
    OutputStore.Calls many = calls(outputs.readCalls("runs", "u", 0, 1_000));
    assertThat(many.records()).hasSize(31);
    assertThat(many.hasMore()).isTrue();
  }

  @Test
  void recordsThatCannotBeReadAreMissing() throws Exception {
    OperatorOutputs outputs = outputs(directory.resolve("token"), Duration.ofSeconds(5));
    OutputStore.Missing missing = new OutputStore.Missing("the output store could not be reached");

    handler = exchange -> answer(exchange, 404, new byte[0]);
    assertThat(outputs.readCalls("runs", "u", 0, 1)).isEqualTo(new OutputStore.Absent());
    handler = exchange -> answer(exchange, 401, new byte[0]);
    assertThat(outputs.readCalls("runs", "u", 0, 1)).isEqualTo(missing);
    for (String line : List.of("no JSON\n", "x".repeat(300_000))) {
      handler = exchange -> answer(exchange, 200, line.getBytes(UTF_8));
      assertThat(outputs.readCalls("runs", "u", 0, 1)).isEqualTo(missing);
    }
  }

  private static OutputStore.Calls calls(OutputStore.StoredCalls read) {
    assertThat(read).isInstanceOf(OutputStore.Calls.class);
    return (OutputStore.Calls) read;
  }

  @Test
  void onlyTheFirstBytesAreTakenOfABodyWithoutEnd() throws Exception {
    handler =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            while (true) {
              out.write(new byte[8192]);
            }
          } catch (IOException e) {
            // The client has let go, as it should.
          }
        };

    OutputStore.Stored stored =
        outputs(directory.resolve("token"), Duration.ofSeconds(5)).read("runs", "u", 0, 100_000);

    assertThat(stored)
        .isInstanceOfSatisfying(
            OutputStore.Bytes.class, bytes -> assertThat(bytes.bytes()).hasSize(100_000));
  }

  @Test
  void whatIsGoneIsSaidToBe() throws Exception {
    handler = exchange -> answer(exchange, 404, new byte[0]);

    assertThat(outputs(directory.resolve("token"), Duration.ofSeconds(5)).read("runs", "u", 0, 10))
        .isEqualTo(new OutputStore.Absent());
  }

  @Test
  void everyOtherAnswerIsAStoreThatCannotBeReached() throws Exception {
    OperatorOutputs outputs = outputs(directory.resolve("token"), Duration.ofMillis(400));
    OutputStore.Missing missing = new OutputStore.Missing("the output store could not be reached");

    handler = exchange -> answer(exchange, 503, new byte[0]);
    assertThat(outputs.read("runs", "u", 0, 10)).isEqualTo(missing);
    handler =
        exchange -> {
          exchange.getResponseHeaders().add("Location", "https://localhost:1/");
          answer(exchange, 302, new byte[0]);
        };
    assertThat(outputs.read("runs", "u", 0, 10)).isEqualTo(missing);
    CompletableFuture<Void> read = new CompletableFuture<>();
    handler =
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write(1);
          exchange.getResponseBody().flush();
          read.join();
          exchange.close();
        };
    assertThat(outputs.read("runs", "u", 0, 50)).isEqualTo(missing);
    read.complete(null);
  }

  @Test
  void anUploadIsSentAsItComesAndWithItsLength() throws Exception {
    byte[] bytes = "a,b\n".repeat(100_000).getBytes(UTF_8);
    List<String> said = new CopyOnWriteArrayList<>();
    handler =
        exchange -> {
          int read = exchange.getRequestBody().readAllBytes().length;
          said.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization")
                  + " "
                  + exchange.getRequestHeaders().getFirst("Content-Length")
                  + " "
                  + read);
          answer(exchange, 204, new byte[0]);
        };

    assertThat(upload(bytes.length, new ByteArrayInputStream(bytes)))
        .isEqualTo(UploadRelay.Relayed.TAKEN);
    assertThat(upload(0, new ByteArrayInputStream(new byte[0])))
        .isEqualTo(UploadRelay.Relayed.TAKEN);
    assertThat(said)
        .containsExactly(
            "PUT /internal/v1/namespaces/runs/datasets/uid-1/uploads/u1 Bearer token-1 400000"
                + " 400000",
            "PUT /internal/v1/namespaces/runs/datasets/uid-1/uploads/u1 Bearer token-1 0 0");
  }

  @Test
  void whatBecameOfAnUploadIsTold() throws Exception {
    handler = exchange -> answer(exchange, 404, new byte[0]);
    assertThat(upload(1, oneByte())).isEqualTo(UploadRelay.Relayed.NOT_EXPECTED);
    handler = exchange -> answer(exchange, 409, new byte[0]);
    assertThat(upload(1, oneByte())).isEqualTo(UploadRelay.Relayed.NOT_EXPECTED);
    handler = exchange -> answer(exchange, 502, new byte[0]);
    assertThat(upload(1, oneByte())).isEqualTo(UploadRelay.Relayed.FAILED);
    handler = exchange -> answer(exchange, 401, new byte[0]);
    assertThat(upload(1, oneByte())).isEqualTo(UploadRelay.Relayed.UNREACHABLE);
    handler = HttpExchange::close;
    assertThat(upload(1, oneByte())).isEqualTo(UploadRelay.Relayed.UNREACHABLE);
  }

  @Test
  void theOperatorLearnsAtOnceThatAnUploadBreaksOff() throws Exception {
    BlockingQueue<String> read = new LinkedBlockingQueue<>();
    handler =
        exchange -> {
          try {
            read.add(exchange.getRequestBody().readAllBytes().length + " bytes");
          } catch (IOException e) {
            read.add("broken off");
            throw e;
          }
        };
    InputStream broken =
        new InputStream() {
          private int left = 10;

          @Override
          public int read() throws IOException {
            if (left-- == 0) {
              throw new IOException("the client is gone");
            }
            return 'x';
          }
        };

    assertThat(upload(1_000_000, broken)).isEqualTo(UploadRelay.Relayed.UNREACHABLE);
    assertThat(read.poll(10, TimeUnit.SECONDS)).isEqualTo("broken off");
  }

  private static InputStream oneByte() {
    return new ByteArrayInputStream(new byte[1]);
  }

  private static UploadRelay.Relayed upload(long bytes, InputStream body)
      throws InterruptedException {
    return new OperatorUploads(operator(directory.resolve("token")))
        .send("runs", "uid-1", new UploadSource("u1", bytes), body);
  }

  @Test
  void aServerThatTheCaDoesNotKnowIsNotTrusted() throws Exception {
    handler = exchange -> answer(exchange, 200, "secret".getBytes(UTF_8));
    var config =
        new FrontEndConfig.Operator(
            URI.create("https://localhost:" + server.getAddress().getPort()),
            systemCa(),
            directory.resolve("token"));

    assertThat(
            new OperatorOutputs(new OperatorClient(config), Duration.ofSeconds(5))
                .read("runs", "u", 0, 10))
        .isInstanceOf(OutputStore.Missing.class);
  }

  @Test
  void filesThatCannotBeUsedAreNamed() throws Exception {
    Path empty = Files.writeString(directory.resolve("empty"), "");

    assertThatThrownBy(() -> outputs(empty, Duration.ofSeconds(1)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("empty");
    assertThatThrownBy(
            () ->
                new OperatorClient(
                    new FrontEndConfig.Operator(URI.create("https://localhost:1"), empty, null)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has no certificate");
  }

  /** Another certificate than the server's. */
  private static Path systemCa() throws Exception {
    Path other = directory.resolve("other.crt");
    KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
    try (InputStream in =
        Files.newInputStream(
            Path.of(System.getProperty("java.home"), "lib", "security", "cacerts"))) {
      known.load(in, null);
    }
    String alias = known.aliases().nextElement();
    Files.writeString(
        other,
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(known.getCertificate(alias).getEncoded())
            + "\n-----END CERTIFICATE-----\n");
    return other;
  }

  private static OperatorOutputs outputs(Path token, Duration timeout) {
    return new OperatorOutputs(operator(token), timeout);
  }

  private static OperatorClient operator(Path token) {
    return new OperatorClient(
        new FrontEndConfig.Operator(
            URI.create("https://localhost:" + server.getAddress().getPort()),
            directory.resolve("ca.crt"),
            token));
  }

  private static String text(OutputStore.Stored stored) {
    return new String(((OutputStore.Bytes) stored).bytes(), UTF_8);
  }

  private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
