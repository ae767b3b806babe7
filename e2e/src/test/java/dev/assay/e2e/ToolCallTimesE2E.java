package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.e2e.upstream.CountingUpstream;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What calls of tools take, in the log of the scenarios. No time is checked that is a goal. */
@Full
@ClusterOnly("times of a machine that runs other tests at once mean nothing")
class ToolCallTimesE2E {
  private static final Logger LOG = LoggerFactory.getLogger(ToolCallTimesE2E.class);
  private static final String SERVER = "counting-timed";
  private static final int CALLS = 400;
  private static final int WARM_UP = 100;
  private static final int BATCH = 31;
  private static final int BATCH_MILLIS = 300;
  private static final int SCRIPTS = 40;

  /** Milliseconds of each call, as the script sees them. */
  private static final String TIMED =
      """
      const now = () => Number(Temporal.Now.instant().epochNanoseconds) / 1e6;
      const times = [];
      for (let i = 0; i < input.calls; i++) {
        const began = now();
        const outcome = call_tool('counting-timed', 'echo', {value: i});
        times.push(now() - began);
        if (!outcome.ok || outcome.result.value !== i) throw new Error(JSON.stringify(outcome));
      }
      times
      """;

  private static final String BATCHES =
      """
      const requests = [];
      for (let i = 0; i < input.size; i++) {
        requests.push({server: 'counting-timed', tool: 'wait', args: {millis: input.millis}});
      }
      const times = [];
      for (let i = 0; i < 5; i++) {
        const began = Date.now();
        if (!call_tools(requests, {max_parallel: input.size}).every(outcome => outcome.ok)) {
          throw new Error('a call failed');
        }
        times.push(Date.now() - began);
      }
      times
      """;

  private final Assay assay;
  private final ToolServers servers;
  private final CountingUpstream upstream;

  ToolCallTimesE2E(Assay assay) {
    this.assay = assay;
    this.servers = new ToolServers(assay);
    this.upstream = CountingUpstream.start(assay.installation().toolServerHost());
  }

  @BeforeEach
  void connect() {
    servers.connect(SERVER, upstream.url());
  }

  @AfterEach
  void close() {
    servers.close();
    upstream.close();
  }

  @Test
  void aCallOfAScriptBesideTheSameCallByTheSdk() {
    double[] direct = direct();
    double[] ofScript = times(Script.of(TIMED).input(Map.of("calls", CALLS)).value(assay));
    double[] counted = Arrays.copyOfRange(ofScript, WARM_UP, CALLS);
    LOG.info("a call by the SDK client, ms: {}", percentiles(direct));
    LOG.info("a call_tool, ms: {}", percentiles(counted));

    assertThat(counted).hasSize(CALLS - WARM_UP);
  }

  private double[] direct() {
    URI url = upstream.url();
    try (McpSyncClient client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(url.resolve("/").toString())
                    .endpoint(url.getPath())
                    .build())
            .build()) {
      client.initialize();
      double[] times = new double[CALLS];
      for (int i = 0; i < CALLS; i++) {
        long began = System.nanoTime();
        client.callTool(CallToolRequest.builder("echo").arguments(Map.of("value", i)).build());
        times[i] = (System.nanoTime() - began) / 1e6;
      }
      return Arrays.copyOfRange(times, WARM_UP, CALLS);
    }
  }

  @Test
  void manyCallsAtOnceTakeAboutAsLongAsOne() {
    double[] times =
        times(
            Script.of(BATCHES)
                .input(Map.of("size", BATCH, "millis", BATCH_MILLIS))
                .options(Map.of("max_parallel", BATCH))
                .value(assay));
    LOG.info("{} calls of {} ms at once, ms: {}", BATCH, BATCH_MILLIS, Arrays.toString(times));

    assertThat(Arrays.stream(times).min().orElseThrow()).isLessThan(BATCH * BATCH_MILLIS / 3.0);
  }

  @Test
  void aScriptThatDoesNothing() {
    double[] times = new double[SCRIPTS];
    for (int i = 0; i < SCRIPTS; i++) {
      long began = System.nanoTime();
      assertThat(Script.of("1").value(assay).asInt()).isOne();
      times[i] = (System.nanoTime() - began) / 1e6;
    }
    LOG.info(
        "a trivial script by MCP{}, ms: {}",
        assay.installation().hasWarmPools() ? ", with warm Pods" : "",
        percentiles(times));
  }

  private static double[] times(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false)
        .mapToDouble(JsonNode::asDouble)
        .toArray();
  }

  private static String percentiles(double[] times) {
    double[] sorted = times.clone();
    Arrays.sort(sorted);
    return "p50 %.2f, p90 %.2f, p99 %.2f"
        .formatted(at(sorted, 0.5), at(sorted, 0.9), at(sorted, 0.99));
  }

  private static double at(double[] sorted, double part) {
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  }
}
