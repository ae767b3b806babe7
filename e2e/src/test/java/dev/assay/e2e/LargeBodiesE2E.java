package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** No caller can use up the memory that the front end has for requests. */
@Full
class LargeBodiesE2E {
  private static final int LARGE = 15 * 1024 * 1024;
  private static final String HELD = "held";
  private static final String BEYOND_SHARE = "beyond_share";
  private static final String OTHERS = "of_another";
  private static final Reply NONE = Reply.refused("none yet", Duration.ZERO);

  @Test
  void aLargeBodyIsTakenWhileAnotherCallerHasTwoThatWait(Assay assay) {
    List.of(HELD, BEYOND_SHARE, OTHERS).forEach(assay::deleteDataset);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        McpSyncClient greedy = assay.connect(assay.installation().key());
        McpSyncClient other = assay.connect(assay.installation().otherKey())) {
      CompletableFuture<Reply> held;
      CompletableFuture<Reply> third;
      // No Pod starts that could receive the bytes, so they stay in the front end.
      try (PodQuota quota = new PodQuota(assay, 0)) {
        held = load(greedy, HELD, threads);
        assay.awaitAnnounced(HELD).join();
        // It is held as well or refused, as far as the share of one caller goes.
        CompletableFuture<Reply> beyond = load(greedy, BEYOND_SHARE, threads);
        CompletableFuture.anyOf(assay.awaitAnnounced(BEYOND_SHARE), beyond).join();
        third = load(other, OTHERS, threads);
        CompletableFuture.anyOf(assay.awaitAnnounced(OTHERS), third).join();
        assertThat(third.getNow(NONE)).as("answer before there is a Pod").isSameAs(NONE);
        quota.allow(20);
      }
      assertThat(third.join().text()).startsWith("Dataset '" + OTHERS + "' is ready");
      assertThat(held.join().isError()).as(held.join().text()).isFalse();
    }
  }

  private static CompletableFuture<Reply> load(
      McpSyncClient client, String name, Executor threads) {
    return CompletableFuture.supplyAsync(() -> load(client, name), threads);
  }

  private static Reply load(McpSyncClient client, String name) {
    String line = "some text that is as long as a line\n";
    Map<String, Object> arguments =
        Map.of(
            "dataset_name",
            name,
            "text",
            "text\n" + line.repeat(LARGE / line.length()),
            "replace",
            true);
    try {
      return Reply.of(
          client.callTool(CallToolRequest.builder("load_dataset").arguments(arguments).build()),
          Duration.ZERO);
    } catch (RuntimeException e) {
      return Reply.refused(String.valueOf(e), Duration.ZERO);
    }
  }
}
