package dev.assay.operator.tool;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.tool.ToolApprovalsTest.digest;
import static dev.assay.operator.tool.ToolApprovalsTest.tool;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ServerInfo;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolCounts;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.output.FakeOutputStore;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ToolServerReconcilerTest {
  private static final Duration INTERVAL = Duration.ofMinutes(5);

  /** What a short definition takes of the limit. */
  private static final int BLOCK = 4096;

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final FakeGatewayClient gateway = new FakeGatewayClient("10.0.0.1");

  /** How many lists were open whenever definitions were stored. */
  private final List<Integer> openLists = new ArrayList<>();

  private final FakeOutputStore store =
      new FakeOutputStore() {
        @Override
        public void putDefinitions(String namespace, Map<String, byte[]> definitions)
            throws IOException {
          openLists.add(gateway.openLists.get());
          try {
            super.putDefinitions(namespace, definitions);
          } finally {
            afterStoring.run();
          }
        }
      };

  /** Done once definitions were stored, or could not be. */
  private Meanwhile afterStoring = () -> {};

  private interface Meanwhile {
    void run() throws IOException;
  }

  private final TrackedThreads threads = new TrackedThreads();
  private final ToolServerReconciler reconciler =
      new ToolServerReconciler(
          api.client(),
          gateway,
          store,
          new EventRecorder(api.client(), threads.executor(), clock),
          clock);

  ToolServerReconcilerTest() {
    ToolServer server = new ToolServer();
    server.setMetadata(
        new ObjectMetaBuilder()
            .withName("crm")
            .withNamespace(NAMESPACE)
            .withUid("crm-uid")
            .withGeneration(1L)
            .build());
    server.setSpec(ToolApprovalsTest.spec(Approval.Baseline));
    api.put(server);
    lists(tool("find", "1"));
  }

  @AfterEach
  void stop() {
    api.close();
    threads.executor().shutdownNow();
  }

  @Test
  void aServerOfANewerVersionIsNotAskedAndKeepsItsStatus() throws Exception {
    api.change(server(), server -> server.withObject("/spec").put("approval", "Vote"));

    assertThat(reconcile()).isEqualTo(INTERVAL);

    assertThat(api.requests("PATCH", "/toolservers")).isEmpty();
    assertThat(openLists).isEmpty();
  }

  @Test
  void aServerThatListsItsToolsIsConnectedAndItsDefinitionsAreStored() throws Exception {
    assertThat(reconcile())
        .as("once more, since the gateway may see a change later")
        .isEqualTo(Duration.ofSeconds(5));
    ToolServerStatus status = status();
    assertThat(status.phase()).isEqualTo(ToolServerPhase.Connected);
    assertThat(status.message()).isEqualTo("1 tools, 1 of them approved");
    assertThat(status.server()).isEqualTo(new ServerInfo("CRM", "2"));
    assertThat(status.counts()).isEqualTo(new ToolCounts(1, 1, 0, 0));
    assertThat(conditions()).containsExactly("Approved=True Approved", "Connected=True Listed");
    assertThat(store.definition(NAMESPACE, digest("1")).orElseThrow())
        .isEqualTo("{\"name\":\"find\",\"version\":1}".getBytes(UTF_8));
  }

  @Test
  void aServerThatIsAsItWasIsNotWrittenAgain() throws Exception {
    reconcile();
    int writes = writes();
    clock.advance(Duration.ofMinutes(6));
    reconcile();
    assertThat(writes()).isEqualTo(writes);
  }

  @Test
  void theWriteOfAStatusDoesNotAskTheServerAgain() throws Exception {
    reconcile();
    clock.advance(Duration.ofSeconds(5));
    assertThat(reconcile()).isEqualTo(Duration.ofMinutes(5));
    gateway.listsFail = true;
    assertThat(reconcile()).isEqualTo(Duration.ofMinutes(5));
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Connected);
  }

  @Test
  void aChangedDefinitionIsReportedWithItsName() throws Exception {
    reconcile();
    lists(tool("find", "2"), tool("drop", "1"));
    clock.advance(Duration.ofMinutes(6));
    reconcile();
    assertThat(status().counts()).isEqualTo(new ToolCounts(2, 0, 1, 1));
    assertThat(conditions()).containsExactly("Approved=False Changed", "Connected=True Listed");
    assertThat(condition("Approved").getMessage())
        .isEqualTo("find: their definitions have changed since they were approved");
    assertThat(store.definition(NAMESPACE, digest("2"))).isPresent();
    assertThat(store.definition(NAMESPACE, digest("1"))).as("what agents read").isPresent();
  }

  @Test
  void aServerThatCannotBeAskedKeepsWhatIsTrustedAndIsWrittenOnce() throws Exception {
    reconcile();
    gateway.listsFail = true;
    clock.advance(Duration.ofMinutes(6));
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(30));
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Unavailable);
    assertThat(status().toolList()).hasSize(1);
    assertThat(conditions())
        .containsExactly("Approved=True Approved", "Connected=False UpstreamUnavailable");
    int writes = writes();
    clock.advance(Duration.ofMinutes(6));
    reconcile();
    assertThat(writes()).isEqualTo(writes);
  }

  @Test
  void aServerThatCannotBeAskedForAnotherCauseThanBeforeSaysSo() throws Exception {
    gateway.listsFail = true;
    gateway.listMessage = "The tool gateway cannot be reached";
    reconcile();
    gateway.listMessage = "The Secret does not exist";
    clock.advance(Duration.ofMinutes(1));
    reconcile();
    assertThat(status().message()).isEqualTo("The Secret does not exist");
    assertThat(condition("Connected").getMessage()).isEqualTo("The Secret does not exist");
  }

  @Test
  void aServerThatTheGatewayDoesNotKnowYetIsAskedAgainSoonAndNotWritten() throws Exception {
    gateway.listFailure = "SERVER_NOT_FOUND";
    gateway.listsFail = true;
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(2));
    assertThat(writes()).isZero();
  }

  @Test
  void aDisabledServerIsNotAsked() throws Exception {
    gateway.listsFail = true;
    becomes(server -> changed(server, builder -> builder.enabled(false)));
    reconcile();
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Disabled);
    assertThat(conditions()).containsExactly("Connected=False Disabled");
  }

  @Test
  void theToolsOfAServerInQuarantineAreListedForReview() throws Exception {
    becomes(server -> changed(server, builder -> builder.quarantined(true)));
    reconcile();
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Quarantined);
    assertThat(status().toolList()).hasSize(1);
  }

  @Test
  void aServerWithoutAStoreForItsDefinitionsIsNotWritten() throws Exception {
    store.failNext(1);
    reconcile();
    assertThat(writes()).isZero();
    clock.advance(Duration.ofMinutes(1));
    reconcile();
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Connected);
  }

  @Test
  void aServerWhoseDefinitionsAreBeyondTheLimitSaysSoAndKeepsWhatIsTrusted() throws Exception {
    reconcile();
    store.maxDefinitionBytes = 1;
    lists(tool("find", "1"), tool("drop", "2"));
    clock.advance(Duration.ofMinutes(6));
    assertThat(reconcile()).as("its list is no better in a moment").isEqualTo(INTERVAL);
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Unavailable);
    assertThat(status().message())
        .isEqualTo(
            "The definitions of its tools cannot be stored: those of all tool servers of a"
                + " namespace may take 0 MiB, so delete servers or hide tools with"
                + " spec.tools.deny");
    assertThat(conditions())
        .containsExactly("Approved=True Approved", "Connected=False DefinitionLimitExceeded");
    assertThat(status().toolList()).hasSize(1);
    assertThat(store.definitions(NAMESPACE)).containsExactly(digest("1"));
    assertThat(gateway.openLists).hasValue(0);
    store.maxDefinitionBytes = 1 << 20;
    clock.advance(INTERVAL);
    reconcile();
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Connected);
    assertThat(store.definitions(NAMESPACE)).hasSize(2);
  }

  @Test
  void aServerBeyondTheLimitIsAskedAgainOnceDefinitionsOfOthersAreRemoved() throws Exception {
    reconcile();
    store.putDefinitions(NAMESPACE, Map.of(digest("9"), new byte[1000]));
    store.maxDefinitionBytes = 2 * BLOCK;
    lists(tool("find", "1"), tool("drop", "2"));
    clock.advance(INTERVAL);
    assertThat(reconcile()).isEqualTo(INTERVAL);
    clock.advance(Duration.ofMinutes(1));
    assertThat(reconcile()).as("not before").isEqualTo(Duration.ofMinutes(4));
    reconciler.removeDefinitions(NAMESPACE, List.of(server()));
    assertThat(reconcile()).isEqualTo(INTERVAL);
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Connected);
  }

  @Test
  void roomThatThereIsBeforeAServerIsSaidToHaveNoneIsNotMissed() throws Exception {
    reconcile();
    store.putDefinitions(NAMESPACE, Map.of(digest("9"), new byte[1000]));
    store.maxDefinitionBytes = 2 * BLOCK;
    lists(tool("find", "1"), tool("drop", "2"));
    clock.advance(INTERVAL);
    afterStoring = () -> reconciler.removeDefinitions(NAMESPACE, List.of(server()));
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(5));
    afterStoring = () -> {};
    clock.advance(Duration.ofSeconds(5));
    assertThat(reconcile()).isEqualTo(INTERVAL);
    assertThat(status().phase()).isEqualTo(ToolServerPhase.Connected);
  }

  @Test
  void aListKeepsItsMemoryUntilItIsStoredAndNoLonger() throws Exception {
    store.failNext(1);
    reconcile();
    assertThat(gateway.openLists).as("it could not be stored").hasValue(0);
    clock.advance(Duration.ofMinutes(1));
    reconcile();
    assertThat(openLists).containsExactly(1, 1);
    assertThat(gateway.openLists).hasValue(0);
  }

  @Test
  void aServerOfWhichACallFoundSomethingElseIsAskedAgainThoughNotAtOnce() throws Exception {
    reconcile();
    clock.advance(Duration.ofSeconds(5));
    reconcile();
    clock.advance(Duration.ofSeconds(1));
    lists(tool("find", "2"));
    reconciler.lookAgain(NAMESPACE, "crm");
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(4));
    reconciler.lookAgain(NAMESPACE, "crm");
    clock.advance(Duration.ofSeconds(4));
    assertThat(reconcile()).isEqualTo(Duration.ofMinutes(5));
    assertThat(status().counts()).isEqualTo(new ToolCounts(1, 0, 0, 1));
  }

  @Test
  void whatACallFindsWhileAServerIsAskedIsNotForgotten() throws Exception {
    reconcile();
    clock.advance(Duration.ofMinutes(6));
    gateway.beforeListing = () -> reconciler.lookAgain(NAMESPACE, "crm");
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(5));
    gateway.beforeListing = () -> {};
    clock.advance(Duration.ofSeconds(5));
    assertThat(reconcile()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void theDefinitionsOfAServerThatWasDeletedAreRemoved() throws Exception {
    reconcile();
    reconciler.removeDefinitions(NAMESPACE, List.of(server()));
    assertThat(store.definitions(NAMESPACE)).containsExactly(digest("1"));
    reconciler.removeDefinitions(NAMESPACE, List.of());
    assertThat(store.definitions(NAMESPACE)).isEmpty();
  }

  @Test
  void definitionsThatNoStatusNamesYetAreKept() throws Exception {
    reconcile();
    ToolServer unseen = server();
    unseen.setStatus(null);
    reconciler.removeDefinitions(NAMESPACE, List.of(unseen));
    assertThat(store.definitions(NAMESPACE)).containsExactly(digest("1"));
  }

  private Duration reconcile() throws InterruptedException {
    return reconciler.reconcile(server());
  }

  private ToolServer server() {
    return api.client()
        .resources(ToolServer.class)
        .inNamespace(NAMESPACE)
        .withName("crm")
        .require();
  }

  private ToolServerStatus status() {
    return requireNonNull(server().getStatus());
  }

  private List<String> conditions() {
    return requireNonNull(status().conditions()).stream()
        .map(found -> found.getType() + "=" + found.getStatus() + " " + found.getReason())
        .toList();
  }

  private Condition condition(String type) {
    return requireNonNull(status().conditions()).stream()
        .filter(found -> found.getType().equals(type))
        .findFirst()
        .orElseThrow();
  }

  private int writes() {
    return api.requests("PATCH", "/toolservers/crm/status").size();
  }

  private void lists(ListedTools.Definition... tools) {
    gateway.lists.put("crm", new ListedTools(new ServerInfo("CRM", "2"), List.of(tools)));
  }

  private void becomes(UnaryOperator<ToolServer> change) {
    api.put(change.apply(server()));
  }

  private static ToolServer changed(
      ToolServer server, UnaryOperator<ToolServerSpecBuilder> change) {
    server.setSpec(change.apply(ToolServerSpecBuilder.builder(server.getSpec())).build());
    server.getMetadata().setGeneration(2L);
    return server;
  }
}
