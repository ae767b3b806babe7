package dev.assay.gateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Limits;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.gateway.Await;
import dev.assay.gateway.definition.ToolDefinition;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class UpstreamsTest {
  private final Upstreams upstreams =
      new Upstreams(
          name -> Optional.empty(),
          Servers.LOOPBACK,
          new ReplyMemory(64 << 20),
          new ListMemory(64 << 20),
          Clock.systemUTC());
  private @Nullable RealServer server;

  private ToolServerSpec start(Protocol protocol) throws Exception {
    server = protocol == Protocol.Sse ? RealServer.sse() : RealServer.streamable();
    return Servers.spec(server.url()).withProtocol(protocol);
  }

  @AfterEach
  void stop() throws Exception {
    upstreams.close();
    if (server != null) {
      server.close();
    }
  }

  private ToolReply call(ToolServerSpec spec, ToolCall call) throws Exception {
    return upstreams.call("tools", Optional.of(Servers.of(spec)), call);
  }

  @ParameterizedTest
  @EnumSource(value = Protocol.class, mode = EnumSource.Mode.EXCLUDE, names = "Unknown")
  void aToolIsListedAndCalled(Protocol protocol) throws Exception {
    ToolServerSpec spec = start(protocol);
    server.tool(
        "add",
        (exchange, request) ->
            RealServer.text(
                String.valueOf(
                    (int) request.arguments().get("a") + (int) request.arguments().get("b"))));
    ToolListing listing = upstreams.tools(Servers.of(spec));
    assertThat(listing.serverName()).isEqualTo("real");
    assertThat(listing.serverVersion()).isEqualTo("1.2");
    assertThat(listing.tools().find("add").orElseThrow().description()).isEqualTo("It is add");
    ToolReply reply = call(spec, Servers.call("r", "add", "{\"a\": 2, \"b\": 3}"));
    assertThat(new String(reply.value(), UTF_8)).isEqualTo("5");
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void aToolWithoutHintsIsDestructiveAndKeepsTheApprovalThatItHadAsOneThatWrites()
      throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp).withApproval(Approval.Baseline);
    server.tool("add", (exchange, request) -> RealServer.text("done"));
    ToolRules writes = new ToolRules(null, null, Map.of("add", ToolPermission.WRITE));
    String approved = listed(Servers.of(spec.withTools(writes))).digest();

    ToolServer known = Servers.of(spec, 2);
    known.setStatus(
        ToolServerStatus.EMPTY.withTools(
            List.of(new ToolState("add", approved, approved, null, null, null, approved))));
    assertThat(listed(known).digest()).isEqualTo(approved);
    assertThat(listed(known).permission()).isEqualTo("destructive");
    assertThat(call(known, approved, null).isError()).isFalse();
    assertThatThrownBy(
            () -> call(known, approved, List.of(ToolPermission.READ, ToolPermission.WRITE)))
        .isInstanceOfSatisfying(
            RefusedCallException.class,
            e -> assertThat(e.refusal().code()).isEqualTo(CallCode.PERMISSION_DENIED));

    assertThat(listed(Servers.of(spec, 3)).digest()).as("never approved").isNotEqualTo(approved);
  }

  private ToolDefinition listed(ToolServer of) throws Exception {
    return upstreams.tools(of).tools().find("add").orElseThrow();
  }

  private ToolReply call(ToolServer of, String approved, @Nullable List<ToolPermission> permissions)
      throws Exception {
    return upstreams.call(
        "tools",
        Optional.of(of),
        new ToolCall("r", "add", "{}", approved, permissions, 1 << 20, Duration.ofSeconds(10)));
  }

  @ParameterizedTest
  @EnumSource(value = Protocol.class, mode = EnumSource.Mode.EXCLUDE, names = "Unknown")
  void theErrorOfAToolIsItsOwnText(Protocol protocol) throws Exception {
    ToolServerSpec spec = start(protocol);
    server.tool(
        "fail",
        (exchange, request) ->
            io.modelcontextprotocol.spec.McpSchema.CallToolResult.builder()
                .addTextContent("no such user")
                .isError(true)
                .build());
    ToolReply reply = call(spec, Servers.call("fail"));
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).isEqualTo("no such user");
  }

  @ParameterizedTest
  @EnumSource(value = Protocol.class, mode = EnumSource.Mode.EXCLUDE, names = "Unknown")
  void manyCallsAtOnceGetTheirOwnReplies(Protocol protocol) throws Exception {
    ToolServerSpec spec = start(protocol);
    server.tool(
        "echo", (exchange, request) -> RealServer.text(request.arguments().get("n").toString()));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ToolReply>> replies = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String arguments = "{\"n\": " + i + "}";
        replies.add(threads.submit(() -> call(spec, Servers.call("r", "echo", arguments))));
      }
      for (int i = 0; i < 50; i++) {
        assertThat(new String(replies.get(i).get().value(), UTF_8)).isEqualTo(String.valueOf(i));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Session.class, mode = EnumSource.Mode.EXCLUDE, names = "Unknown")
  void runsShareASessionOrHaveOneEach(Session session) throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp).withSession(session);
    Set<String> sessions = ConcurrentHashMap.newKeySet();
    server.tool(
        "session",
        (exchange, request) -> {
          sessions.add(exchange.sessionId());
          return RealServer.text("x");
        });
    call(spec, Servers.call("one", "session", "{}"));
    call(spec, Servers.call("one", "session", "{}"));
    call(spec, Servers.call("two", "session", "{}"));
    assertThat(sessions).hasSize(session == Session.Shared ? 1 : 2);
    Set<String> before = new HashSet<>(sessions);
    upstreams.closeRun("one");
    call(spec, Servers.call("one", "session", "{}"));
    assertThat(sessions).hasSize(session == Session.Shared ? 1 : 3).containsAll(before);
  }

  @Test
  void aSessionThatACallBeginsToUseIsNotClosedAsIdle() throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp).withSession(Session.PerRun);
    Set<String> sessions = ConcurrentHashMap.newKeySet();
    server.tool(
        "session",
        (exchange, request) -> {
          sessions.add(exchange.sessionId());
          return RealServer.text("x");
        });
    EventfulClock clock = new EventfulClock();
    try (Upstreams busy =
        new Upstreams(
            name -> Optional.empty(),
            Servers.LOOPBACK,
            new ReplyMemory(64 << 20),
            new ListMemory(64 << 20),
            clock)) {
      clock.event = () -> busy.closeRun("other");
      for (int i = 0; i < 2; i++) {
        var unused =
            busy.call("tools", Optional.of(Servers.of(spec)), Servers.call("one", "session", "{}"));
      }
    }
    assertThat(sessions).hasSize(1);
  }

  /** Something happens each time that somebody looks at it. */
  private static final class EventfulClock extends Clock {
    private final AtomicBoolean happening = new AtomicBoolean();
    private volatile Runnable event = () -> {};

    @Override
    public Instant instant() {
      if (happening.compareAndSet(false, true)) {
        try {
          event.run();
        } finally {
          happening.set(false);
        }
      }
      return Clock.systemUTC().instant();
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @Test
  void aChangedSpecHasNewSessions() throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp);
    Set<String> sessions = ConcurrentHashMap.newKeySet();
    server.tool(
        "session",
        (exchange, request) -> {
          sessions.add(exchange.sessionId());
          return RealServer.text("x");
        });
    upstreams.call("tools", Optional.of(Servers.of(spec, 1)), Servers.call("session"));
    upstreams.call("tools", Optional.of(Servers.of(spec, 2)), Servers.call("session"));
    assertThat(sessions).hasSize(2);
  }

  @Test
  void anInterruptedCallIsCancelled() throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp);
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    server.tool(
        "wait",
        (exchange, request) -> {
          began.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return RealServer.text("x");
        });
    AtomicInteger interrupted = new AtomicInteger();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    call(spec, Servers.call("wait"));
                  } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                });
    assertThat(began.await(10, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    Await.await(() -> interrupted.get() == 1);
    end.countDown();
  }

  @Test
  void callsBeyondTheLimitWaitAndFailUnsentAtTheirDeadline() throws Exception {
    ToolServerSpec spec =
        start(Protocol.StreamableHttp).withLimits(new Limits(null, 1, null, null));
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    server.tool(
        "wait",
        (exchange, request) -> {
          calls.incrementAndGet();
          began.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return RealServer.text("x");
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ToolReply> first = threads.submit(() -> call(spec, Servers.call("wait")));
      assertThat(began.await(10, TimeUnit.SECONDS)).isTrue();
      UpstreamException failure =
          catchThrowableOfType(
              UpstreamException.class,
              () ->
                  call(
                      spec,
                      new ToolCall("r", "wait", "{}", null, null, 1000, Duration.ofMillis(50))));
      assertThat(failure.code()).isEqualTo(CallCode.UPSTREAM_TIMEOUT);
      assertThat(failure.sent()).isEqualTo(Sent.NO);
      assertThat(failure).hasMessageContaining("limits.concurrentCalls");
      end.countDown();
      assertThat(first.get().isError()).isFalse();
      assertThat(calls).hasValue(1);
    }
  }

  @Test
  void aToolIsCalledOnlyByTheDigestThatWasApproved() throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp).withApproval(Approval.Baseline);
    AtomicInteger calls = new AtomicInteger();
    server.tool(
        "a",
        (exchange, request) -> {
          calls.incrementAndGet();
          return RealServer.text("x");
        });
    String digest = upstreams.tools(Servers.of(spec)).tools().find("a").orElseThrow().digest();
    ToolCall approved = new ToolCall("r", "a", "{}", digest, null, 1000, Duration.ofSeconds(10));
    assertThat(call(spec, approved).isError()).isFalse();
    RefusedCallException refused =
        catchThrowableOfType(
            RefusedCallException.class,
            () ->
                call(
                    spec,
                    new ToolCall(
                        "r", "a", "{}", "0".repeat(64), null, 1000, Duration.ofSeconds(10))));
    assertThat(refused.refusal().code()).isEqualTo(CallCode.TOOL_NOT_APPROVED);
    assertThat(calls).hasValue(1);
  }

  @Test
  void aServerInQuarantineIsListedAndNotCalled() throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp).withQuarantined(true);
    server.tool("a", (exchange, request) -> RealServer.text("x"));
    assertThat(upstreams.tools(Servers.of(spec)).tools().all()).hasSize(1);
    RefusedCallException refused =
        catchThrowableOfType(RefusedCallException.class, () -> call(spec, Servers.call("a")));
    assertThat(refused.refusal().code()).isEqualTo(CallCode.SERVER_QUARANTINED);
  }

  @Test
  void aCallThatWaitsForOthersIsNotSentToAServerThatIsInQuarantineMeanwhile() throws Exception {
    ToolServerSpec spec =
        start(Protocol.StreamableHttp).withLimits(new Limits(null, 1, null, null));
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    server.tool(
        "wait",
        (exchange, request) -> {
          calls.incrementAndGet();
          began.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return RealServer.text("x");
        });
    AtomicReference<ToolServer> current = new AtomicReference<>(Servers.of(spec));
    AtomicInteger found = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ToolReply> first = threads.submit(() -> call(spec, Servers.call("wait")));
      assertThat(began.await(10, TimeUnit.SECONDS)).isTrue();
      Future<ToolReply> second =
          threads.submit(
              () ->
                  upstreams.call(
                      "tools",
                      () -> {
                        found.incrementAndGet();
                        return Optional.of(current.get());
                      },
                      Servers.call("wait")));
      Await.await(() -> found.get() == 2);
      current.set(Servers.of(spec.withQuarantined(true), 2));
      upstreams.retire(Servers.NAMESPACE, "tools");
      end.countDown();
      assertThat(first.get().isError()).isFalse();
      assertThatThrownBy(second::get).hasCauseInstanceOf(RefusedCallException.class);
      assertThat(calls).hasValue(1);
    }
  }

  @Test
  void aCallIsNotSentToAServerThatIsPutInQuarantineWhileItBegins() throws Exception {
    ToolServerSpec spec = start(Protocol.StreamableHttp);
    AtomicInteger calls = new AtomicInteger();
    server.tool(
        "count",
        (exchange, request) -> {
          calls.incrementAndGet();
          return RealServer.text("x");
        });
    AtomicInteger found = new AtomicInteger();
    assertThatThrownBy(
            () ->
                upstreams.call(
                    "tools",
                    () ->
                        Optional.of(
                            found.incrementAndGet() == 1
                                ? Servers.of(spec)
                                : Servers.of(spec.withQuarantined(true), 2)),
                    Servers.call("count")))
        .isInstanceOf(RefusedCallException.class);
    assertThat(calls).hasValue(0);
  }

  /** A watch that is silent retires nothing. */
  @Test
  void aCallIsNotSentToAServerThatIsDisabledWhileItsToolsAreListed() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer()) {
      ToolServerSpec spec = Servers.spec(scripted.url());
      RefusedCallException refused =
          catchThrowableOfType(
              RefusedCallException.class,
              () ->
                  upstreams.call(
                      "tools",
                      () ->
                          Optional.of(
                              scripted.methods().contains("tools/list")
                                  ? Servers.of(spec.withEnabled(false), 2)
                                  : Servers.of(spec)),
                      Servers.call("a")));
      assertThat(refused.refusal().code()).isEqualTo(CallCode.SERVER_DISABLED);
      assertThat(scripted.methods()).doesNotContain("tools/call");
    }
  }
}
