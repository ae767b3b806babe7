package dev.assay.frontend.http;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.call.ReplySize;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replies take bounded memory, whoever does not read them. */
@Tag("slow")
@Timeout(60)
class ReplyMemoryTest {
  private static final Duration LONG = Duration.ofHours(1);

  @Test
  void aReplyWaitsUntilAnotherOfItsCallerHasBeenSentAndNotForThoseOfOthers() throws Exception {
    ReplyMemory memory = new ReplyMemory(100, 60, LONG);
    ReplyMemory.Share first = memory.share(TestEndpoint.ALICE);
    assertThat(first.reserve(50)).isTrue();
    CompletableFuture<Boolean> second =
        CompletableFuture.supplyAsync(
            () -> reserve(memory.share(TestEndpoint.ALICE), 50), Thread::startVirtualThread);

    try (ReplyMemory.Share other = memory.share(TestEndpoint.BOB)) {
      assertThat(other.reserve(50)).isTrue();
      assertThat(second.isDone()).isFalse();
    }
    first.close();
    assertThat(second.join()).isTrue();
  }

  @Test
  void whoeverWaitsTooLongIsToldSo() throws Exception {
    ReplyMemory memory = new ReplyMemory(100, 100, Duration.ZERO);
    try (ReplyMemory.Share first = memory.share(TestEndpoint.ALICE)) {
      assertThat(first.reserve(60)).isTrue();
      assertThat(memory.share(TestEndpoint.BOB).reserve(60)).isFalse();
    }
    assertThat(memory.share(TestEndpoint.BOB).reserve(60)).isTrue();
  }

  @Test
  @SuppressWarnings("try") // The others' memory is given back in the middle of the test.
  void aReplyThatFindsNoMemoryNamesTheToolThatShowsItsOutputAndLaterOnesAreWhole() {
    String output = "x".repeat(20_000);
    ReplyMemory memory = new ReplyMemory(300_000, 300_000, Duration.ZERO);
    try (TestEndpoint endpoint =
        new TestEndpoint(
            16, 16, new RequestMemory(Long.MAX_VALUE), memory, TestEndpoint.SHORT_TIMES)) {
      endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      endpoint.runs.operator(
          (fake, run) -> {
            endpoint.outputs.append(run.getMetadata().getUid(), output.getBytes(UTF_8));
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.Succeeded,
                    RunReason.Completed,
                    null,
                    PayloadStarted.Yes,
                    RunResultBuilder.builder()
                        .output("x")
                        .outputBytes(20_000)
                        .storedBytes(20_000)
                        .build()));
          });
      try (ReplyMemory.Share others = memory.share(TestEndpoint.BOB)) {
        assertThat(reserve(others, 200_000)).isTrue();
        assertThat(endpoint.post(CODE).body()).contains("cannot be shown now", "get_run shows it");
      }
      for (int i = 0; i < 3; i++) {
        assertThat(endpoint.post(CODE).body()).contains(output);
        await(() -> isFree(memory, 300_000));
      }
    }
  }

  @Test
  void repliesThatNobodyReadsLeaveNoMemoryForMoreOfTheSameCallerAndEnoughForOthers() {
    long list = ReplySize.ofList();
    ReplyMemory memory = new ReplyMemory(2 * list, list, Duration.ZERO);
    String call =
        """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
         "name":"list_datasets","arguments":{}}}""";
    try (TestEndpoint endpoint =
            new TestEndpoint(
                16, 16, new RequestMemory(Long.MAX_VALUE), memory, TestEndpoint.SHORT_TIMES);
        ReplyMemory.Share unread = memory.share(TestEndpoint.ALICE)) {
      assertThat(reserve(unread, 1)).isTrue();

      assertThat(endpoint.post(call).statusCode()).isEqualTo(429);
      assertThat(
              endpoint
                  .send(endpoint.request(call).header("X-API-Key", "bob-key").build())
                  .statusCode())
          .isEqualTo(200);
      HttpResponse<String> refused = endpoint.send(rest(endpoint, "runs", "alice-key"));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(refused.body()).contains("read the replies to other calls");
      assertThat(endpoint.send(rest(endpoint, "runs", "bob-key")).statusCode()).isEqualTo(200);
      assertThat(endpoint.send(rest(endpoint, "openapi.json", "alice-key")).statusCode())
          .isEqualTo(200);
    }
  }

  private static HttpRequest rest(TestEndpoint endpoint, String path, String key) {
    return HttpRequest.newBuilder(
            URI.create("http://localhost:" + endpoint.port() + "/api/v1/" + path))
        .header("X-API-Key", key)
        .build();
  }

  private static final String CODE =
      """
      {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
       "name":"execute_custom_analytics_code",
       "arguments":{"dataset_name":"sales_data","python_code":"x"}}}""";

  private static boolean isFree(ReplyMemory memory, long bytes) {
    try (ReplyMemory.Share all = memory.share(TestEndpoint.BOB)) {
      return reserve(all, bytes);
    }
  }

  private static boolean reserve(ReplyMemory.Share share, long bytes) {
    try {
      return share.reserve(bytes);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
