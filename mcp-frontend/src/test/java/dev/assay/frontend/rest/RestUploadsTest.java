package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.Await;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.UploadRelay.Relayed;
import dev.assay.frontend.http.HttpEndpoint;
import dev.assay.frontend.http.RequestMemory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@Tag("slow")
@Timeout(30)
class RestUploadsTest {
  private static final String DATASET = "/api/v1/datasets/{name}";
  private static final String TEXT = "a,b\n1,x\n";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @BeforeEach
  void podsTakeUploads() {
    endpoint.datasets.newOnesBecome(DatasetPhase.Uploading);
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aFileBecomesADatasetWhenAllOfItHasArrived() {
    HttpResponse<String> answer = upload("Q1%202024?format=csv&wait=true", "", TEXT);

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.headers().firstValue("Location")).hasValue("/api/v1/datasets/q1-2024");
    JsonNode shown = RestClient.json(answer);
    assertThat(shown.get("name").asString()).isEqualTo("Q1 2024");
    assertThat(shown.get("phase").asString()).isEqualTo("Ready");
    assertThat(endpoint.uploads.sent()).hasSize(1);
    assertThat(endpoint.uploads.sent().getFirst().bytes()).asString(UTF_8).isEqualTo(TEXT);
    UploadSource upload = source("q1-2024").upload();
    assertThat(endpoint.uploads.sent().getFirst().upload()).isEqualTo(upload);
    assertThat(upload).returns(8L, UploadSource::bytes);
  }

  @Test
  void whatIsUploadedAgainIsAnotherUploadThoughItsBytesAreTheSame() {
    upload("a?format=csv", "", TEXT);
    UploadSource first = source("a").upload();

    assertThat(upload("a?format=csv", "", TEXT).statusCode()).isEqualTo(200);
    assertThat(source("a").upload()).isNotEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource({
    "text/csv,CSV",
    "Text/CSV; charset=UTF-8,CSV",
    "application/x-ndjson,NDJSON",
    "application/vnd.apache.parquet,PARQUET",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,EXCEL",
  })
  void theContentTypeTellsTheFormat(String type, DatasetFormat format) {
    upload("a", type, TEXT);
    assertThat(source("a").format()).isEqualTo(format);
  }

  @Test
  void aParameterTellsMoreThanAContentType() {
    upload(
        "a?format=tsv&compression=zip&options=%7B%22header%22%3Anull%7D&snapshotClass=snapshot",
        "text/csv", TEXT);
    assertThat(source("a").format()).isEqualTo(DatasetFormat.TSV);
    assertThat(source("a").compression()).isEqualTo(DatasetCompression.ZIP);
    assertThat(String.valueOf(source("a").options())).isEqualTo("{header=null}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a||422|'format' is missing: name one of csv, tsv",
        "a?format=xml||422|'format' must be one of csv",
        "a?format=csv&compression=rar||422|'compression' must be one of gzip, zip",
        "a?format=csv&options=7||422|'options' must be a JSON object",
        "a?format=csv&options=%7B||422|'options' must be a JSON object",
        "a?format=csv&snapshotClass=A_B||422|'snapshotClass' must be a name of lower-case",
        "a?format=csv&wait=1||400|The parameter 'wait' must be true or false",
        "a?kind=csv||400|Unknown parameter 'kind'; the parameters are format, compression",
        "-?format=csv||422|'name' must have 1 to 63 letters",
        "a|image/png|415|Content-Type must be application/octet-stream with the parameter",
        "a?format=csv|multipart/form-data; boundary=x|415|Send the file itself as the body",
        "a|text/csv; charset=latin-1|415|Name the encoding of text by the parameter 'options'",
      })
  void whatCannotBeUsedIsNamedAndNothingIsWritten(
      String name, @Nullable String type, int status, String message) {
    HttpResponse<String> answer = upload(name, type == null ? "" : type, TEXT);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(RestClient.message(answer)).startsWith(message);
    assertThat(endpoint.datasets.list("runs")).isEmpty();
  }

  @Test
  void aStreamOfUnknownLengthIsNotTaken() {
    InputStream stream = new ByteArrayInputStream(TEXT.getBytes(UTF_8));
    HttpResponse<String> answer =
        client.upload(DATASET, "a?format=csv", "", BodyPublishers.ofInputStream(() -> stream));

    assertThat(answer.statusCode()).isEqualTo(411);
    assertThat(RestClient.message(answer)).contains("Content-Length is needed");
    assertThat(endpoint.datasets.list("runs")).isEmpty();
  }

  @Test
  void aFileThatIsLongerThanItsClassTakesIsRefusedBeforeItIsSent() throws Exception {
    long bytes = (1L << 30) + 1;
    String answer =
        raw("Content-Length: %d\r\nExpect: 100-continue\r\n\r\n".formatted(bytes), false);

    assertThat(answer).startsWith("HTTP/1.1 413 ");
    assertThat(answer).contains("It has 1073741825 bytes, and class 'snapshot' takes at most");
    assertThat(endpoint.datasets.list("runs")).isEmpty();
  }

  @Test
  void whoWaitsToSendIsToldToOnlyWhenAPodTakesIt() throws Exception {
    String answer = raw("Content-Length: 8\r\nExpect: 100-continue\r\n\r\n", false, TEXT);

    assertThat(answer).startsWith("HTTP/1.1 100 ").contains("HTTP/1.1 201 ");
  }

  @Test
  void whoSendsBeforeBeingToldToIsNotToldTooLate() throws Exception {
    endpoint.datasets.newOnesBecome(null);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      write(socket, "Content-Length: 8\r\nExpect: 100-continue\r\n\r\n" + TEXT);
      Await.await(() -> endpoint.datasets.find("runs", "a").isPresent());
      endpoint.datasets.settle("a", DatasetPhase.Uploading);

      assertThat(socket.getInputStream().readAllBytes())
          .asString(UTF_8)
          .startsWith("HTTP/1.1 201 ");
    }
  }

  @Test
  void whoDisconnectsWhileAPodIsAwaitedLeavesTheSlotToOthers() throws Exception {
    HttpEndpoint.Times times = TestEndpoint.SHORT_TIMES;
    try (TestEndpoint narrow = new TestEndpoint(1, new RequestMemory(Long.MAX_VALUE), times)) {
      narrow.datasets.newOnesBecome(null);
      RestClient other = new RestClient(narrow);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), narrow.port())) {
        write(socket, "Content-Length: 8\r\nExpect: 100-continue\r\n\r\n");
        Await.await(() -> narrow.datasets.find("runs", "a").isPresent());
        assertThat(upload(other, "b").statusCode()).isEqualTo(429);
      }

      narrow.datasets.newOnesBecome(DatasetPhase.Uploading);
      Await.await(() -> upload(other, "b").statusCode() == 201);

      // The Pod that comes late is told that nothing will.
      narrow.datasets.settle("a", DatasetPhase.Uploading);
      Await.await(
          () ->
              DatasetState.of(narrow.datasets.find("runs", "a").orElseThrow())
                  instanceof DatasetState.Failed);
    }
  }

  @Test
  void whoWaitsLongerThanAConnectionMayBeIdleIsStillAskedForTheBody() throws Exception {
    try (TestEndpoint soonIdle = new TestEndpoint(TestEndpoint.SOON_IDLE);
        Socket waiting = new Socket(InetAddress.getLoopbackAddress(), soonIdle.port());
        Socket idle = new Socket(InetAddress.getLoopbackAddress(), soonIdle.port())) {
      soonIdle.datasets.newOnesBecome(null);
      OutputStream out = write(waiting, "Content-Length: 8\r\nExpect: 100-continue\r\n\r\n");
      Await.await(() -> soonIdle.datasets.find("runs", "a").isPresent());
      String half = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{";
      idle.getOutputStream().write(half.getBytes(UTF_8));
      var unused = idle.getInputStream().readAllBytes(); // Until it is closed for being idle.

      soonIdle.datasets.settle("a", DatasetPhase.Uploading);
      assertThat(new String(waiting.getInputStream().readNBytes(12), UTF_8))
          .isEqualTo("HTTP/1.1 100");
      out.write(TEXT.getBytes(UTF_8));
      assertThat(waiting.getInputStream().readAllBytes()).asString(UTF_8).contains("HTTP/1.1 201");
    }
  }

  private static HttpResponse<String> upload(RestClient client, String name) {
    return client.upload(DATASET, name + "?format=csv", "", BodyPublishers.ofString(TEXT));
  }

  @Test
  void anUploadThatBreaksOffIsNotTakenForAWholeOne() throws Exception {
    raw("Content-Length: 100\r\n\r\n" + TEXT, true);

    Dataset dataset = endpoint.datasets.find("runs", "a").orElseThrow();
    Await.await(
        () ->
            DatasetState.of(endpoint.datasets.find("runs", "a").orElseThrow())
                instanceof DatasetState.Failed);
    assertThat(dataset.getSpec().source().upload()).returns(100L, UploadSource::bytes);
  }

  @Test
  void whyAnUploadWasNotTakenIsTold() {
    endpoint.uploads.become(Relayed.FAILED, DatasetPhase.Failed);
    HttpResponse<String> failed = upload("a?format=csv", "", TEXT);
    assertThat(failed.statusCode()).isEqualTo(503);
    assertThat(RestClient.message(failed)).isEqualTo("ParserError: line 3");

    endpoint.datasets.newOnesBecome(DatasetPhase.Failed);
    HttpResponse<String> refused = upload("b?format=csv", "", TEXT);
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(RestClient.message(refused)).isEqualTo("ParserError: line 3");
  }

  @Test
  void oneUploadOfADatasetIsUnderWayAtATime() {
    Dataset uploading = Fixtures.dataset("a", DatasetPhase.Uploading);
    uploading.setSpec(
        DatasetSpecBuilder.builder()
            .caller("alice")
            .displayName("a")
            .className("snapshot")
            .source(DatasetSource.upload(DatasetFormat.CSV, null, new UploadSource("u1", 7)))
            .build());
    endpoint.datasets.with(uploading);

    HttpResponse<String> second = upload("a?format=csv", "", TEXT);

    assertThat(second.statusCode()).isEqualTo(409);
    assertThat(RestClient.message(second)).contains("is being uploaded; wait until");
    assertThat(source("a").upload()).isEqualTo(new UploadSource("u1", 7));
  }

  @Test
  void anUploadThatHasNotBegunGivesItsPlaceToARetryAtOnce() {
    endpoint.datasets.newOnesBecome(null);
    CompletableFuture<HttpResponse<String>> first =
        CompletableFuture.supplyAsync(
            () -> upload("a?format=csv", "", TEXT), Thread::startVirtualThread);
    Await.await(() -> endpoint.datasets.find("runs", "a").isPresent());
    endpoint.datasets.newOnesBecome(DatasetPhase.Uploading);

    assertThat(upload("a?format=csv", "", TEXT).statusCode()).isEqualTo(200);
    assertThat(first.join().statusCode()).isEqualTo(409);
    assertThat(RestClient.message(first.join()))
        .startsWith("The upload was superseded by another load");
  }

  @Test
  void aDatasetThatMayNotBeReplacedIsNot() {
    endpoint.datasets.with(Fixtures.dataset("a", DatasetPhase.Ready));

    HttpResponse<String> answer = upload("a?format=csv&replace=false", "", TEXT);

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(RestClient.message(answer)).contains("There is a dataset 'a' already");
    assertThat(source("a").upload()).isNull();
  }

  private HttpResponse<String> upload(String name, String type, String text) {
    return client.upload(DATASET, name, type, BodyPublishers.ofString(text));
  }

  /** What is answered to a request that no HTTP library would send. */
  private String raw(String rest, boolean hangUp, String... then) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      OutputStream out = write(socket, rest);
      if (hangUp) {
        Await.await(() -> endpoint.datasets.find("runs", "a").isPresent());
        return "";
      }
      StringBuilder answer = new StringBuilder();
      InputStream in = socket.getInputStream();
      byte[] piece = new byte[4096];
      int sent = 0;
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        answer.append(new String(piece, 0, read, UTF_8));
        if (sent < then.length) {
          out.write(then[sent++].getBytes(UTF_8));
          out.flush();
        }
      }
      return answer.toString();
    }
  }

  private static OutputStream write(Socket socket, String rest) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(
        ("PUT /api/v1/datasets/a?format=csv HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer alice-key\r\nConnection: close\r\n"
                + rest)
            .getBytes(UTF_8));
    out.flush();
    return out;
  }

  private DatasetSource source(String name) {
    return endpoint.datasets.find("runs", name).orElseThrow().getSpec().source();
  }
}
