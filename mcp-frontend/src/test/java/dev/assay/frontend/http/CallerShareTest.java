package dev.assay.frontend.http;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.dataset.UploadRelay;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One caller cannot keep others out, neither by many calls nor by large ones. */
@Tag("slow")
@Timeout(60)
class CallerShareTest {
  private static final String CODE =
      """
      {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
       "name":"execute_custom_analytics_code",
       "arguments":{"dataset_name":"sales_data","python_code":"x"}}}\
      """;

  @Test
  void aCallerThatHasItsShareOfCallsIsRefusedAndOthersAreNot() throws Exception {
    try (TestEndpoint endpoint =
        new TestEndpoint(4, 2, new RequestMemory(Long.MAX_VALUE), TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      for (int i = 0; i < 2; i++) {
        var unused = send(endpoint, "alice-key", CODE);
        assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
      }

      HttpResponse<String> third = send(endpoint, "alice-key", CODE).get(5, TimeUnit.SECONDS);
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(third.body())
          .contains("You have 2 calls in progress, which is the limit for one caller");

      var unused = send(endpoint, "bob-key", CODE);
      assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void aCallerWhoseCallsAreAllInProgressCanStillListAndStopThem() throws Exception {
    try (TestEndpoint endpoint =
        new TestEndpoint(1, 1, new RequestMemory(Long.MAX_VALUE), TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      var unused = send(endpoint, "alice-key", CODE);
      String run = endpoint.runs.started.poll(5, TimeUnit.SECONDS);

      for (String quick :
          new String[] {
            "\"list_runs\"",
            "\"list_datasets\"",
            "\"cancel_run\",\"arguments\":{\"name\":\"" + run + "\"}"
          }) {
        HttpResponse<String> answer = send(endpoint, "alice-key", tool(quick)).get();
        assertThat(answer.statusCode()).as(quick).isEqualTo(200);
        assertThat(answer.body()).contains("\"isError\":false");
      }
      assertThat(endpoint.runs.cancelled).containsExactly(run);
      assertThat(send(endpoint, "alice-key", tool("\"describe_runtime\"")).get().statusCode())
          .isEqualTo(429);
    }
  }

  @Test
  void runsThatAreWaitedForByRestAndByCallsShareTheSlotsAndOthersNeedNone() throws Exception {
    try (TestEndpoint endpoint =
        new TestEndpoint(1, 1, new RequestMemory(Long.MAX_VALUE), TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      var unused = send(endpoint, "alice-key", CODE);
      assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();

      assertThat(create(endpoint, "{\"code\":\"\",\"waitSeconds\":9}").statusCode()).isEqualTo(429);
      assertThat(endpoint.runs.created).hasSize(1);
      assertThat(create(endpoint, "{\"code\":\"\"}").statusCode()).isEqualTo(201);
    }
  }

  private static HttpResponse<String> create(TestEndpoint endpoint, String body) {
    return endpoint.send(
        HttpRequest.newBuilder(URI.create(endpoint.url() + "/api/v1/runs"))
            .header("X-API-Key", "alice-key")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  private static String tool(String nameAndArguments) {
    return "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
        + nameAndArguments
        + "}}";
  }

  @Test
  void aCallerWhoseCallsFillItsShareOfMemoryIsRefusedAndOthersAreNot() throws Exception {
    try (TestEndpoint endpoint =
        new TestEndpoint(
            16, 16, new RequestMemory(10_000_000, 5_000_000), TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.newOnesBecome(null);
      var unused = send(endpoint, "alice-key", upload("a", 1_000_000));
      await(() -> !endpoint.datasets.list("runs").isEmpty());

      HttpResponse<String> second =
          send(endpoint, "alice-key", upload("b", 1_200_000)).get(5, TimeUnit.SECONDS);
      assertThat(second.statusCode()).isEqualTo(429);
      assertThat(second.body())
          .contains("The memory limit for the requests of one caller is exceeded");

      unused = send(endpoint, "bob-key", upload("c", 1_200_000));
      await(() -> endpoint.datasets.list("runs").size() == 2);
    }
  }

  @Test
  void theMemoryOfAnUploadIsGivenBackWhenItHasBeenSentThoughItsCallStillWaits() {
    try (TestEndpoint endpoint =
        new TestEndpoint(16, new RequestMemory(5_000_000), TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.newOnesBecome(DatasetPhase.Uploading);
      endpoint.uploads.become(UploadRelay.Relayed.TAKEN, null);

      for (String name : new String[] {"a", "b", "c"}) {
        int sent = endpoint.uploads.sent().size();
        CompletableFuture<HttpResponse<String>> answer = retried(endpoint, upload(name, 1_000_000));
        await(() -> endpoint.uploads.sent().size() > sent);
        assertThat(answer.isDone()).isFalse();
      }
    }
  }

  @Test
  void theMemoryOfArgumentsIsGivenBackWhenTheyAreWrittenThoughTheirCallStillWaits() {
    String rows = "{\"a\":1},".repeat(20_000);
    try (TestEndpoint endpoint =
        new TestEndpoint(16, new RequestMemory(7_000_000), TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.newOnesBecome(null);

      for (String name : new String[] {"a", "b", "c"}) {
        int written = endpoint.datasets.list("runs").size();
        CompletableFuture<HttpResponse<String>> answer =
            retried(endpoint, load(name, "\"records\":[" + rows + "{}]"));
        await(() -> endpoint.datasets.list("runs").size() > written);
        assertThat(answer.isDone()).isFalse();
      }
    }
  }

  /** What was written is there a little before its memory is given back. */
  private static CompletableFuture<HttpResponse<String>> retried(
      TestEndpoint endpoint, String body) {
    return send(endpoint, "alice-key", body)
        .thenCompose(
            answer ->
                answer.statusCode() == 429
                    ? retried(endpoint, body)
                    : CompletableFuture.completedFuture(answer));
  }

  private static CompletableFuture<HttpResponse<String>> send(
      TestEndpoint endpoint, String key, String body) {
    return endpoint
        .client()
        .sendAsync(
            endpoint.request(body).header("X-API-Key", key).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static String upload(String name, int bytes) {
    return load(name, "\"text\":\"" + "1".repeat(bytes) + "\"");
  }

  private static String load(String name, String data) {
    return """
    {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_dataset",
     "arguments":{"dataset_name":"%s",%s}}}\
    """
        .formatted(name, data);
  }
}
