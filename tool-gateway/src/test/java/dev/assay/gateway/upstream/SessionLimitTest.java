package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.gateway.Await;
import dev.assay.gateway.SetClock;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many sessions a server may have, where each run has one of its own. */
class SessionLimitTest {
  private static final int MAX_SESSIONS = 4;

  private final SetClock clock = new SetClock();
  private final Upstreams upstreams =
      new Upstreams(
          name -> Optional.empty(),
          Servers.LOOPBACK,
          new ReplyMemory(64 << 20),
          new ListMemory(64 << 20),
          clock,
          MAX_SESSIONS);
  private ScriptedServer scripted;
  private ToolServer server;

  @BeforeEach
  void start() throws IOException {
    scripted = new ScriptedServer();
    scripted.session("s");
    server = Servers.of(Servers.spec(scripted.url()).withSession(Session.PerRun));
  }

  @AfterEach
  void stop() {
    upstreams.close();
    scripted.close();
  }

  @Test
  void aRunBeyondTheLimitIsRefusedUntilAnotherEndsOrIsIdle() throws Exception {
    for (int run = 1; run <= MAX_SESSIONS; run++) {
      call("run-" + run);
    }
    assertRefused("beyond");
    call("run-1");
    assertThat(scripted.count("initialize")).isEqualTo(MAX_SESSIONS);

    upstreams.closeRun("run-1");
    call("beyond");
    assertRefused("run-1");
    Await.await(() -> scripted.ended() == 1);

    clock.pass(Duration.ofMinutes(31));
    call("run-1");
    Await.await(() -> scripted.ended() == 1 + MAX_SESSIONS);
    assertThat(scripted.count("initialize")).isEqualTo(MAX_SESSIONS + 2);
  }

  @Test
  void aSessionThatCouldNotBeOpenedTakesNoPlace() throws Exception {
    scripted.on("initialize", (exchange, request) -> exchange.sendResponseHeaders(503, -1));
    for (int run = 1; run <= MAX_SESSIONS + 1; run++) {
      assertThat(failure("run-" + run)).hasMessageContaining("503");
    }
  }

  private void call(String run) throws Exception {
    var unused = upstreams.call("tools", Optional.of(server), Servers.call(run, "a", "{}"));
  }

  private UpstreamException failure(String run) {
    return catchThrowableOfType(UpstreamException.class, () -> call(run));
  }

  private void assertRefused(String run) {
    UpstreamException failure = failure(run);
    assertThat(failure.code()).isEqualTo(CallCode.UPSTREAM_UNAVAILABLE);
    assertThat(failure.sent()).isEqualTo(Sent.NO);
    assertThat(failure)
        .hasMessage(
            "The tool gateway has 4 sessions with the tool server, and opens no more:"
                + " repeat the call when another run has ended.");
  }
}
