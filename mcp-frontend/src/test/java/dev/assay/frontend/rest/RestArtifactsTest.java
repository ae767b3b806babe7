package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.artifact.ArtifactReader;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class RestArtifactsTest {
  private static final String LIST = "/api/v1/runs/{name}/artifacts";
  private static final String CODE = "/api/v1/runs/{name}/code";
  private static final byte[] CSV = "a,b\n1,2\n".getBytes(UTF_8);

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private void left(String path, byte[] bytes, String mediaType) {
    endpoint.outputs.artifact("uid-1", 1, bytes);
    endpoint.runs.with(
        Fixtures.run("run-a", Fixtures.left(Fixtures.artifact(path, bytes, mediaType))));
  }

  private HttpResponse<byte[]> download(String path, String... headers)
      throws IOException, InterruptedException {
    return send("GET", path, headers);
  }

  private HttpResponse<byte[]> send(String method, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        client.request(method, "/api/v1/runs/run-a/artifacts/" + path, null);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return endpoint.client().send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  @Test
  void theArtifactsOfARunAreListed() {
    RunArtifact artifact = Fixtures.artifact("reports/a b.csv", CSV, "text/csv");
    AnalyticsRun run = Fixtures.run("run-a", Fixtures.left(artifact));
    run.setStatus(run.getStatus().withArtifactsMessage("one\u0007 left out"));
    endpoint.runs.with(run);

    JsonNode list = RestClient.json(client.get(LIST, "run-a"));

    assertThat(list.get("message").asString()).isEqualTo("one\uFFFD left out");
    assertThat(list.get("items").get(0))
        .hasToString(
            "{\"path\":\"reports/a b.csv\",\"bytes\":8,\"sha256\":\""
                + artifact.sha256()
                + "\",\"mediaType\":\"text/csv\",\"uri\":\"assay://runs/run-a/artifacts/reports/a%20b.csv\"}");
  }

  @Test
  void aRunWithoutArtifactsHasAnEmptyList() {
    endpoint.runs.with(Fixtures.run("run-a", null));

    assertThat(client.get(LIST, "run-a").body()).isEqualTo("{\"items\":[]}");
  }

  @Test
  void aDownloadIsTheFileAsAnAttachmentThatABrowserRunsNothingOf()
      throws IOException, InterruptedException {
    left("reports/a.html", "<script>alert(1)</script>".getBytes(UTF_8), "text/html");

    HttpResponse<byte[]> answer = download("reports/a.html");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).asString(UTF_8).isEqualTo("<script>alert(1)</script>");
    assertThat(header(answer, "Content-Length")).isEqualTo("25");
    assertThat(header(answer, "Content-Type")).isEqualTo("text/html;charset=utf-8");
    assertThat(header(answer, "Content-Disposition"))
        .isEqualTo("attachment; filename=\"a.html\"; filename*=UTF-8''a.html");
    assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(answer, "Content-Security-Policy")).isEqualTo("default-src 'none'; sandbox");
  }

  @Test
  void aLargeDownloadIsEveryByte() throws IOException, InterruptedException {
    byte[] large = new byte[3 * ArtifactReader.PIECE + 17];
    new Random(1).nextBytes(large);
    left("a.bin", large, "application/octet-stream");

    assertThat(download("a.bin").body()).isEqualTo(large);
    assertThat(download("a.bin", "Range", "bytes=1048000-3000000").body())
        .isEqualTo(Arrays.copyOfRange(large, 1_048_000, 3_000_001));
  }

  @Test
  void anEmptyFileCanBeDownloaded() throws IOException, InterruptedException {
    left("empty.txt", new byte[0], "text/plain");

    assertThat(download("empty.txt").statusCode()).isEqualTo(200);
    assertThat(download("empty.txt").body()).isEmpty();
    assertThat(download("empty.txt", "Range", "bytes=0-").statusCode()).isEqualTo(416);
  }

  @Test
  void aRangeIsAPartOfTheFile() throws IOException, InterruptedException {
    left("a.csv", CSV, "text/csv");

    HttpResponse<byte[]> part = download("a.csv", "Range", "bytes=4-6");
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body()).asString(UTF_8).isEqualTo("1,2");
    assertThat(header(part, "Content-Range")).isEqualTo("bytes 4-6/8");

    HttpResponse<byte[]> beyond = download("a.csv", "Range", "bytes=8-");
    assertThat(beyond.statusCode()).isEqualTo(416);
    assertThat(header(beyond, "Content-Range")).isEqualTo("bytes */8");

    String tag = header(part, "ETag");
    assertThat(download("a.csv", "Range", "bytes=4-6", "If-Range", tag).statusCode())
        .isEqualTo(206);
    assertThat(download("a.csv", "Range", "bytes=4-6", "If-Range", "\"other\"").statusCode())
        .isEqualTo(200);
  }

  @Test
  void headTellsTheLengthWithoutTheFile() throws IOException, InterruptedException {
    left("a.csv", CSV, "text/csv");

    HttpResponse<byte[]> head = send("HEAD", "a.csv");

    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(header(head, "Content-Length")).isEqualTo("8");
  }

  @ParameterizedTest
  @CsvSource({
    "ä.csv, %C3%A4.csv, attachment; filename=\"_.csv\"; filename*=UTF-8''%C3%A4.csv",
    "a\"b;c.csv, a%22b%3Bc.csv, attachment; filename=\"a_b_c.csv\"; filename*=UTF-8''a%22b%3Bc.csv",
    "a b/c+d.csv, a%20b/c%2Bd.csv, attachment; filename=\"c_d.csv\"; filename*=UTF-8''c%2Bd.csv",
    "50%.csv, 50%25.csv, attachment; filename=\"50_.csv\"; filename*=UTF-8''50%25.csv",
    "50%41.csv, 50%2541.csv, attachment; filename=\"50_41.csv\"; filename*=UTF-8''50%2541.csv"
  })
  void unusualNamesCanBeDownloaded(String path, String encoded, String disposition)
      throws IOException, InterruptedException {
    left(path, CSV, "text/csv");

    HttpResponse<byte[]> answer = download(encoded);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(header(answer, "Content-Disposition")).isEqualTo(disposition);
  }

  @ParameterizedTest
  @ValueSource(strings = {"b.csv", "A.csv", "x/a.csv", "a.csv/more"})
  void aFileThatTheRunDoesNotHaveIsNotFound(String path) throws IOException, InterruptedException {
    left("a.csv", CSV, "text/csv");

    HttpResponse<byte[]> answer = download(path);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).asString(UTF_8).contains("The run has no artifact");
  }

  @Test
  void anotherNamespaceIsNotSeen() throws IOException, InterruptedException {
    left("a.csv", CSV, "text/csv");
    AnalyticsRun run = endpoint.runs.read("runs", "run-a").orElseThrow();
    run.getMetadata().setNamespace("other");

    assertThat(download("a.csv").statusCode()).isEqualTo(404);
    assertThat(client.get(LIST, "run-a").statusCode()).isEqualTo(404);
    assertThat(client.get(CODE, "run-a").statusCode()).isEqualTo(404);
  }

  @Test
  void aStoreThatCannotBeReachedIsSaidBeforeTheFirstByte()
      throws IOException, InterruptedException {
    left("a.csv", CSV, "text/csv");
    endpoint.outputs.reachable(false);

    assertThat(download("a.csv").statusCode()).isEqualTo(503);
  }

  @Test
  void anArtifactThatIsNotStoredAnyMoreIsNotFound() throws IOException, InterruptedException {
    endpoint.runs.with(
        Fixtures.run("run-a", Fixtures.left(Fixtures.artifact("a.csv", CSV, "text/csv"))));

    HttpResponse<byte[]> answer = download("a.csv");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).asString(UTF_8).contains("is not stored any more");
  }

  @Test
  void theCodeOfARunIsPlainText() {
    endpoint.runs.with(Fixtures.run("run-a", null));

    HttpResponse<String> answer = client.get(CODE, "run-a");

    assertThat(answer.body()).isEqualTo("pass");
    assertThat(header(answer, "Content-Disposition")).contains("run-a.py");
  }
}
