package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.e2e.upstream.CountingUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The connections that calls of tools leave open. */
@Core
@ClusterOnly("all parts and the tests are one process, with one setting for all HTTP clients")
class ToolConnectionsE2E {
  private static final String SERVER = "counting-connections";

  private static final int CALLS = 4;

  /** Calls at once have a connection each. */
  private static final String CODE =
      """
      const call = {server: 'counting-connections', tool: 'wait', args: {millis: 500}};
      call_tools([call, call, call, call], {max_parallel: 4}).every(outcome => outcome.ok)
      """;

  /** Each replica of the gateway may keep a stream open, over which the server may send. */
  private static final int STREAMS = 2;

  /**
   * Node.js, on which many servers run, closes idle connections after 5 seconds, Jetty after 30.
   */
  private static final int IDLE_SECONDS = 10;

  private final Assay assay;
  private final ToolServers servers;
  private final CountingUpstream upstream;

  ToolConnectionsE2E(Assay assay) {
    this.assay = assay;
    this.servers = new ToolServers(assay);
    this.upstream = CountingUpstream.start(assay.installation().toolServerHost());
  }

  @AfterEach
  void close() {
    servers.close();
    upstream.close();
  }

  /** A call that is sent as the server closes the connection may have arrived or not. */
  @Test
  void idleConnectionsAreClosedBeforeAServerClosesThem() {
    servers.connect(SERVER, upstream.url());
    assertThat(Script.of(CODE).value(assay).asBoolean()).isTrue();
    assertThat(upstream.maxConnections()).isGreaterThanOrEqualTo(CALLS);
    upstream.awaitConnections(STREAMS, IDLE_SECONDS);
  }
}
