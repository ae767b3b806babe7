package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The clients that agents are built with, from their packages, by each transport: every case with
 * every client. None of them complains, and no API of a model would refuse what is made of a reply.
 */
@FullEverywhere
@ExtendWith(OutcomeTable.class)
class ClientTableE2E {
  private static final Map<Column, ClientSession> SESSIONS = new HashMap<>();
  private static final Map<Column, LongCall> LONG_CALLS = new HashMap<>();

  /** What most clients read of one event of a stream. */
  private static final int MAX_EVENT = 1 << 20;

  private static final int MAX_REPLY_TOKENS = 200_000;

  /** How clients complain of progress after they have given a call up; the others are of mcp 1. */
  private static final List<String> LATE_PROGRESS =
      List.of(
          "progress notification for an unknown token",
          "Error parsing SSE message: ClosedResourceError()",
          "Error parsing SSE message: BrokenResourceError()");

  /** How an agent reads of the first file. */
  private static final Pattern FILES =
      Pattern.compile("\\[files in (?<folder>assay://\\S+/): (?<path>\\S+) ");

  /** A column of the table. */
  private record Column(ClientProgram client, ClientProgram.Transport transport) {
    /** One session for all cases, as an agent has it. */
    ClientSession session(Assay assay) {
      return SESSIONS.computeIfAbsent(
          this, column -> ClientSession.open(client, transport, assay.installation()));
    }

    @Override
    public String toString() {
      return client + " " + transport;
    }
  }

  static Stream<Column> columns() {
    return Arrays.stream(ClientProgram.values())
        .flatMap(
            client ->
                Arrays.stream(ClientProgram.Transport.values())
                    .map(transport -> new Column(client, transport)));
  }

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @AfterAll
  static void endAll() {
    SESSIONS.values().forEach(ClientSession::close);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void everyToolIsListedAndConverted(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    assertThat(session.names())
        .containsExactlyElementsOf(assay.tools().stream().map(Tool::name).toList());
    assertThat(session.complaints()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void textComesAsItWasPrinted(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    assertThat(run(session, "print(df.shape, 'ä')").orFail().text()).isEqualTo("(150, 5) ä\n");
    assertThat(session.complaints()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void anErrorIsAnError(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    Reply reply = run(session, "1/0");
    assertThat(reply.text()).startsWith("ERROR: ZeroDivisionError");
    assertThat(reply.isError()).isTrue();
    assertThat(session.complaints()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void aTableHasItsRowsAndAPicture(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    ClientAnalysis.assertWorks(session);
    assertThat(session.complaints()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void longOutputFitsAnEvent(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    String code =
        """
        # %s
        print('"environment" information\\n' * 100_000)
        """
            .formatted(UUID.randomUUID());
    Reply reply =
        session
            .call(
                Assay.TOOL,
                Map.of(
                    "dataset_name",
                    "sales_data",
                    "python_code",
                    code,
                    "max_tokens",
                    MAX_REPLY_TOKENS))
            .orFail();
    assertThat(reply.text().length()).isBetween(MAX_EVENT / 4, MAX_EVENT);
    String run =
        new CountingRun(code, 0, new CompletableFuture<>()).find(assay).getMetadata().getName();
    Reply page =
        session
            .call("get_run", Map.of("name", run, "offset", 1000, "max_tokens", MAX_REPLY_TOKENS))
            .orFail();
    assertThat(page.text().length()).isBetween(MAX_EVENT / 8, MAX_EVENT);
    assertThat(session.complaints()).isEmpty();
  }

  /** Noise, which no compression makes smaller. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void picturesFitAnEventAndTheOthersCanBeRead(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    Reply reply =
        run(
                session,
                """
                import os, struct, zlib

                def chunk(kind, data):
                    checked = kind + data
                    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

                def noise(name, side):
                    rows = b"".join(b"\\0" + os.urandom(3 * side) for _ in range(side))
                    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
                    with open(f"artifacts/{name}.png", "wb") as file:
                        file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                                   + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))

                os.makedirs("artifacts", exist_ok=True)
                noise("a-small", 100)
                noise("b-large", 550)
                noise("c-large", 550)
                """)
            .orFail();
    assertThat(reply.images()).isNotEmpty();
    assertThat(Picture.of(reply.images().getFirst()).width()).isEqualTo(100);
    assertThat(reply.images().stream().mapToInt(image -> image.length * 4 / 3).sum())
        .isLessThan(MAX_EVENT);
    assertThat(reply.files()).hasSize(3);
    byte[] large =
        Base64.getDecoder()
            .decode(((BlobResourceContents) session.read(reply.files().getLast())).blob());
    assertThat(Picture.of(large).width()).isEqualTo(550);
    assertThat(session.complaints()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void aFileThatARunLeavesCanBeRead(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    Reply reply =
        run(
                session,
                """
                import os
                os.makedirs("artifacts", exist_ok=True)
                df.head(2).to_csv("artifacts/head.csv", index=False)
                print("done")
                """)
            .orFail();
    assertThat(reply.text()).startsWith("done\n");
    Matcher named = FILES.matcher(reply.text());
    assertThat(named.find()).as(reply.text()).isTrue();
    String file = named.group("folder") + named.group("path");
    assertThat(reply.files()).containsExactly(file);
    assertThat(((TextResourceContents) session.read(file)).text()).hasLineCount(3);
    assertThat(session.complaints()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void aCancelledCallEndsItsRunAndGetsNoResponse(Column column, Assay assay) {
    ClientSession session = column.session(assay);
    CountingRun counting = endless();
    int call = session.begin(Assay.TOOL, arguments(counting.code()));
    counting.awaitRunning(assay);
    session.cancel(call);
    assertThat(new Runs(assay).awaitEnd(counting.find(assay)).phase())
        .isEqualTo(RunPhase.Cancelled);
    // A late response would come before that of a later call.
    assertThat(run(session, "print(1)").orFail().text()).isEqualTo("1\n");
    // Progress may have been on its way when the client gave the call up.
    assertThat(session.complaints())
        .filteredOn(complaint -> LATE_PROGRESS.stream().noneMatch(complaint::contains))
        .isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void aCallLongerThanThePatienceOfItsClientGoesOn(Column column, Assay assay) {
    LongCall call = longCalls(assay).get(column);
    ClientSession session = column.session(assay);
    Reply reply = session.reply(call.number()).orFail();
    AnalyticsRun run = call.counting().find(assay);
    String name = run.getMetadata().getName();
    assertThat(reply.text())
        .startsWith("The run " + name + " continues: ")
        .contains("get_run(name=\"" + name + "\"");
    assertThat(session.call("get_run", Map.of("name", name, "wait_seconds", 0)).orFail().text())
        .contains(name);
    session.call("cancel_run", Map.of("name", name)).orFail();
    assertThat(new Runs(assay).awaitEnd(run).phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(session.complaints()).isEmpty();
  }

  /**
   * A call that its client waits for.
   *
   * @param number in its session
   */
  private record LongCall(CountingRun counting, int number) {}

  /** All wait at once. */
  private static synchronized Map<Column, LongCall> longCalls(Assay assay) {
    if (LONG_CALLS.isEmpty()) {
      columns()
          .forEach(
              column -> {
                CountingRun counting = endless();
                Map<String, Object> arguments = new HashMap<>(arguments(counting.code()));
                arguments.put("timeout_seconds", 300);
                if (assay.installation().cluster() != null) {
                  // dev/e2e has calls wait for longer than any client does, unless they say.
                  arguments.put("wait_seconds", 5);
                }
                int number = column.session(assay).begin(Assay.TOOL, arguments);
                LONG_CALLS.put(column, new LongCall(counting, number));
              });
    }
    return LONG_CALLS;
  }

  private static CountingRun endless() {
    return new CountingRun(CountingRun.code(1_000, 0.5), 1_000, new CompletableFuture<>());
  }

  private static Reply run(ClientSession session, String code) {
    return session.call(Assay.TOOL, arguments(code));
  }

  private static Map<String, Object> arguments(String code) {
    return Map.of("dataset_name", "sales_data", "python_code", code);
  }
}
