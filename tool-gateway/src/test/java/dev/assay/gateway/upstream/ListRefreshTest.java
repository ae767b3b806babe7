package dev.assay.gateway.upstream;

import static dev.assay.gateway.upstream.ScriptedServer.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.gateway.SetClock;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a list of tools is read again, by a clock that is set by hand. */
@Tag("slow")
class ListRefreshTest {
  private static final int MEMORY = 1 << 20;
  private static final String TOOL = "[{\"name\": \"a\", \"description\": \"%s\"}]";

  private final SetClock clock = new SetClock();
  private final Upstreams upstreams =
      new Upstreams(
          name -> Optional.empty(),
          Servers.LOOPBACK,
          new ReplyMemory(8 << 20),
          new ListMemory(MEMORY),
          clock);
  private ScriptedServer scripted;
  private ToolServer server;

  @BeforeEach
  void start() throws IOException {
    scripted = new ScriptedServer();
    scripted.tools(TOOL.formatted("first"));
    server = Servers.of(Servers.spec(scripted.url()).withApproval(Approval.Baseline));
  }

  @AfterEach
  void stop() {
    upstreams.close();
    scripted.close();
  }

  private String digest() throws Exception {
    return upstreams.tools(server).tools().find("a").orElseThrow().digest();
  }

  private void call(String digest) throws Exception {
    var unused =
        upstreams.call(
            "tools",
            Optional.of(server),
            new ToolCall("r", "a", "{}", digest, null, 1 << 16, Duration.ofSeconds(10)));
  }

  @Test
  void aDefinitionThatChangesIsNoLongerCalledOnceTheListIsFiveMinutesOld() throws Exception {
    String approved = digest();
    scripted.tools(TOOL.formatted("second"));
    clock.pass(Duration.ofMinutes(4));
    call(approved);
    clock.pass(Duration.ofMinutes(2));
    RefusedCallException refused =
        catchThrowableOfType(RefusedCallException.class, () -> call(approved));
    assertThat(refused.refusal().code()).isEqualTo(CallCode.TOOL_NOT_APPROVED);
    scripted.tools(TOOL.formatted("first"));
    clock.pass(Duration.ofMinutes(6));
    call(approved);
    assertThat(scripted.count("tools/call")).isEqualTo(2);
  }

  @Test
  void anAnnouncedChangeIsReadAfterHalfAMinute() throws Exception {
    String approved = digest();
    scripted.on(
        "tools/call",
        (exchange, request) -> {
          try (var out = ScriptedServer.stream(exchange, "text/event-stream")) {
            out.write(
                ("data: {\"jsonrpc\": \"2.0\", \"method\": \"notifications/tools/list_changed\"}"
                        + "\n\ndata: {\"jsonrpc\": \"2.0\", \"id\": "
                        + request.path("id")
                        + ", \"result\": {\"content\": []}}\n\n")
                    .getBytes(UTF_8));
          }
        });
    call(approved);
    scripted.on("tools/call", (exchange, request) -> json(exchange, request, "{\"content\": []}"));
    scripted.tools(TOOL.formatted("second"));
    clock.pass(Duration.ofSeconds(29));
    call(approved);
    clock.pass(Duration.ofSeconds(2));
    assertThat(catchThrowableOfType(RefusedCallException.class, () -> call(approved))).isNotNull();
    assertThat(scripted.count("tools/list")).isEqualTo(2);
  }

  @Test
  void whoeverAsksForTheListGetsOneOfTheLastHalfMinute() throws Exception {
    String first = digest();
    scripted.tools(TOOL.formatted("second"));
    assertThat(digest()).isEqualTo(first);
    clock.pass(Duration.ofSeconds(31));
    assertThat(digest()).isNotEqualTo(first);
  }

  @Test
  void aSessionInDoubtIsOpenedAgainOnceItIsHalfAMinuteOld() throws Exception {
    scripted.session("one");
    String approved = digest();
    scripted.on("tools/call", (exchange, request) -> exchange.sendResponseHeaders(400, -1));
    for (int i = 0; i < 2; i++) {
      assertThat(catchThrowableOfType(UpstreamException.class, () -> call(approved))).isNotNull();
    }
    assertThat(scripted.count("initialize")).isEqualTo(1);
    scripted.on("tools/call", (exchange, request) -> json(exchange, request, "{\"content\": []}"));
    clock.pass(Duration.ofSeconds(31));
    call(approved);
    assertThat(scripted.count("initialize")).isEqualTo(2);
    assertThat(scripted.count("tools/call")).isEqualTo(3);
  }

  @Test
  void theListsOfSessionsTakeMemoryThatEqualOnesHaveInCommon() throws Exception {
    server = Servers.of(server.getSpec().withApproval(Approval.None).withSession(Session.PerRun));
    scripted.tools(TOOL.formatted("x".repeat(MEMORY / 10)));
    for (int i = 0; i < 5; i++) {
      callOf("run-" + i);
    }
    scripted.tools(TOOL.formatted("y".repeat(MEMORY / 10)));
    callOf("other");
    callOf("other");
    assertThat(scripted.count("tools/list")).as("it is not kept").isEqualTo(7);
    callOf("run-0");
    for (int i = 0; i < 5; i++) {
      upstreams.closeRun("run-" + i);
    }
    callOf("other");
    callOf("other");
    assertThat(scripted.count("tools/list")).as("it is kept").isEqualTo(8);
    assertThat(scripted.count("tools/call")).isEqualTo(10);
  }

  @Test
  void aListThatIsTooLongToBeKeptIsRefused() {
    scripted.tools(TOOL.formatted("x".repeat(MEMORY / 3)));
    assertThat(catchThrowableOfType(UpstreamException.class, this::digest))
        .hasMessageContaining("the lists of a namespace may take 512 KiB");
  }

  @Test
  void aListThatWasRefusedIsReadAgainAfterHalfAMinute() throws Exception {
    scripted.tools("[5]");
    for (int i = 0; i < 3; i++) {
      assertThat(catchThrowableOfType(UpstreamException.class, this::digest))
          .hasMessageStartingWith("The list of tools is refused: ");
    }
    assertThat(scripted.count("tools/list")).isEqualTo(1);
    scripted.tools(TOOL.formatted("first"));
    clock.pass(Duration.ofSeconds(31));
    call(digest());
  }

  private void callOf(String run) throws Exception {
    var unused =
        upstreams.call(
            "tools",
            Optional.of(server),
            new ToolCall(run, "a", "{}", null, null, 1 << 16, Duration.ofSeconds(10)));
  }

  @Test
  void aListThatHasChangedTakesTheMemoryOfTheOneBefore() throws Exception {
    server = Servers.of(server.getSpec().withApproval(Approval.None));
    scripted.tools(TOOL.formatted("x".repeat(MEMORY / 10)));
    assertThat(upstreams.tools(server).tools().all()).hasSize(1);
    scripted.tools(TOOL.formatted("y".repeat(MEMORY / 10)));
    clock.pass(Duration.ofMinutes(6));
    assertThat(upstreams.tools(server).tools().all().getFirst().description()).startsWith("y");
  }

  @Test
  void theSessionOfARunThatIsNotUsedIsClosed() throws Exception {
    server = Servers.of(server.getSpec().withSession(Session.PerRun));
    String approved = digest();
    call(approved);
    clock.pass(Duration.ofMinutes(29));
    call(approved);
    clock.pass(Duration.ofMinutes(29));
    assertThat(digest()).isEqualTo(approved);
    call(approved);
    assertThat(scripted.count("initialize")).isEqualTo(2);
    clock.pass(Duration.ofMinutes(31));
    assertThat(digest()).isEqualTo(approved);
    call(approved);
    assertThat(scripted.count("initialize")).isEqualTo(3);
  }
}
