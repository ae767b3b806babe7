package dev.assay.operator.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.digest.Sha256;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What any output store guarantees. */
abstract class OutputStoreContract {
  static final String NAMESPACE = "team-a";
  private static final Instant ENDED = Instant.parse("2026-01-01T00:00:00Z");

  /** Opens the store; each call is another process that uses the same storage. */
  abstract OutputStore open() throws IOException;

  /** Opens the store with another limit of the definitions of a namespace. */
  abstract OutputStore open(DefinitionLimit definitionLimit) throws IOException;

  @Test
  void twoProcessesReadTheirCallsInOneOrder() throws IOException {
    OutputStore first = open();
    OutputStore second = open();
    assertThat(first.appendCalls(NAMESPACE, "run-1", bytes("one\n"), true)).isEqualTo(4);
    assertThat(second.appendCalls(NAMESPACE, "run-1", bytes("two\n"), true)).isEqualTo(8);
    assertThat(first.appendCalls(NAMESPACE, "run-1", bytes("three\n"), false)).isEqualTo(14);
    assertThat(second.calls(NAMESPACE, "run-1", 0)).hasBinaryContent(bytes("one\ntwo\nthree\n"));
    assertThat(first.calls(NAMESPACE, "run-1", 4)).hasBinaryContent(bytes("two\nthree\n"));
    assertThat(first.calls(NAMESPACE, "run-1", 14)).isEmpty();
    assertThat(first.calls(NAMESPACE, "run-2", 0)).isEmpty();
  }

  @Test
  void anOutcomeIsKeptUntilItIsDeleted() throws IOException {
    OutputStore store = open();
    store.putOutcome(NAMESPACE, "run-1", 7, bytes("{}"));
    store.putOutcome(NAMESPACE, "run-1", 7, bytes("{}"));
    try (InputStream outcome = open().outcome(NAMESPACE, "run-1", 7).orElseThrow()) {
      assertThat(outcome.readAllBytes()).isEqualTo(bytes("{}"));
    }
    assertThat(store.outcome(NAMESPACE, "run-1", 8)).isEmpty();
    store.deleteOutcome(NAMESPACE, "run-1", 7);
    store.deleteOutcome(NAMESPACE, "run-1", 7);
    assertThat(store.outcome(NAMESPACE, "run-1", 7)).isEmpty();
  }

  @Test
  void callsAreListedAndDeletedWithTheirRun() throws IOException {
    OutputStore store = open();
    store.appendCalls(NAMESPACE, "run-1", bytes("one\n"), true);
    store.putOutcome(NAMESPACE, "run-1", 1, bytes("{}"));
    assertThat(store.list(NAMESPACE)).extracting(OutputEntry::runUid).containsExactly("run-1");
    store.delete(NAMESPACE, "run-1");
    assertThat(store.list(NAMESPACE)).isEmpty();
    assertThat(store.calls(NAMESPACE, "run-1", 0)).isEmpty();
    assertThat(store.outcome(NAMESPACE, "run-1", 1)).isEmpty();
  }

  @Test
  void definitionsAreStoredByTheirDigestsAndAreNoRuns() throws IOException {
    OutputStore store = open();
    String digest = Sha256.hex("tool");
    store.putDefinitions(NAMESPACE, Map.of(digest, bytes("tool")));
    store.putDefinitions(NAMESPACE, Map.of(digest, bytes("tool")));
    assertThat(open().definition(NAMESPACE, digest)).contains(bytes("tool"));
    assertThat(store.definitions(NAMESPACE)).containsExactly(digest);
    assertThat(store.definitions("team-b")).isEmpty();
    assertThat(store.definition("team-b", digest)).isEmpty();
    assertThat(store.list(NAMESPACE)).isEmpty();
    store.deleteDefinition(NAMESPACE, digest);
    store.deleteDefinition(NAMESPACE, digest);
    assertThat(store.definitions(NAMESPACE)).isEmpty();
  }

  @Test
  void definitionsBeyondTheLimitOfANamespaceAreNotStoredAndTheOthersAreKept() throws IOException {
    OutputStore store = open(new DefinitionLimit(1 << 20));
    putDefinitions(store, NAMESPACE, "one", "two");
    assertThatThrownBy(() -> putDefinitions(store, NAMESPACE, "three"))
        .isInstanceOf(DefinitionLimitException.class)
        .hasMessageContaining("1 MiB");
    assertThatThrownBy(() -> putDefinitions(open(new DefinitionLimit(1 << 20)), NAMESPACE, "three"))
        .as("another process counts what is stored")
        .isInstanceOf(DefinitionLimitException.class);
    assertThat(store.definitions(NAMESPACE))
        .containsExactlyInAnyOrder(Sha256.hex("one"), Sha256.hex("two"));
    putDefinitions(store, "team-b", "three");
    assertThat(store.definitions("team-b")).hasSize(1);
  }

  @Test
  void ofDefinitionsThatAreNotAllWithinTheLimitNoneIsStored() throws IOException {
    OutputStore store = open(new DefinitionLimit(1 << 20));
    assertThatThrownBy(() -> putDefinitions(store, NAMESPACE, "one", "two", "three"))
        .isInstanceOf(DefinitionLimitException.class);
    assertThat(store.definitions(NAMESPACE)).isEmpty();
  }

  @Test
  void definitionsThatAreStoredCountOnce() throws IOException {
    OutputStore store = open(new DefinitionLimit(1 << 20));
    putDefinitions(store, NAMESPACE, "one");
    putDefinitions(store, NAMESPACE, "one", "two");
    putDefinitions(store, NAMESPACE, "one", "two");
    assertThat(store.definitions(NAMESPACE)).hasSize(2);
    putDefinitions(open(new DefinitionLimit(1)), NAMESPACE, "one", "two");
  }

  @Test
  void aDefinitionThatIsDeletedLeavesItsRoom() throws IOException {
    OutputStore store = open(new DefinitionLimit(1 << 20));
    putDefinitions(store, NAMESPACE, "one", "two");
    store.deleteDefinition(NAMESPACE, Sha256.hex("one"));
    putDefinitions(store, NAMESPACE, "three");
    assertThat(store.definitions(NAMESPACE))
        .containsExactlyInAnyOrder(Sha256.hex("two"), Sha256.hex("three"));
  }

  @Test
  void aSmallDefinitionCountsAsABlock() throws IOException {
    OutputStore store = open(new DefinitionLimit(2 * 4096));
    store.putDefinitions(NAMESPACE, Map.of(Sha256.hex("one"), bytes("1")));
    store.putDefinitions(NAMESPACE, Map.of(Sha256.hex("two"), bytes("2")));
    assertThatThrownBy(
            () -> store.putDefinitions(NAMESPACE, Map.of(Sha256.hex("three"), bytes("3"))))
        .isInstanceOf(DefinitionLimitException.class);
  }

  /** Stores a definition of 400 KiB for each name. */
  private static void putDefinitions(OutputStore store, String namespace, String... names)
      throws IOException {
    store.putDefinitions(
        namespace,
        Stream.of(names).collect(Collectors.toMap(Sha256::hex, name -> new byte[400 << 10])));
  }

  @Test
  void outputIsReadInTheOrderOfItsOffsets() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "hello ");
    append(store, "run-1", 6, "world");
    assertThat(read(store, "run-1", 0)).isEqualTo("hello world");
  }

  @Test
  void partsKeepTheirOrderWhenOffsetsGetLonger() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "123456789");
    append(store, "run-1", 9, "0");
    append(store, "run-1", 10, "a");
    assertThat(read(store, "run-1", 0)).isEqualTo("1234567890a");
  }

  @Test
  void repeatedPartsChangeNothing() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "two");
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "two");
    assertThat(read(store, "run-1", 0)).isEqualTo("onetwo");
  }

  @Test
  void twoProcessesThatStoreTheSamePartsStoreThemOnce() throws IOException {
    OutputStore first = open();
    OutputStore second = open();
    append(first, "run-1", 0, "one");
    append(first, "run-1", 3, "two");
    append(second, "run-1", 0, "one");
    append(second, "run-1", 3, "two");
    append(second, "run-1", 6, "three");
    append(first, "run-1", 6, "three");
    assertThat(read(first, "run-1", 0)).isEqualTo("onetwothree");
    assertThat(read(second, "run-1", 0)).isEqualTo("onetwothree");
  }

  @Test
  void aPartWithOtherBytesIsRefusedAndTheFirstIsKept() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "two");
    assertConflict(() -> append(store, "run-1", 3, "tow"));
    assertConflict(() -> append(open(), "run-1", 0, "eno"));
    assertThat(read(store, "run-1", 0)).isEqualTo("onetwo");
  }

  @Test
  void outputWithAGapIsNeverFinished() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    assertThatThrownBy(
            () -> {
              append(store, "run-1", 4, "far");
              store.finish(NAMESPACE, "run-1", manifest("one?far"));
            })
        .isInstanceOf(IOException.class);
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    assertThat(read(store, "run-1", 0)).isEqualTo("one");
  }

  @Test
  void readingBeginsAtAnOffsetAndIsEmptyPastTheEnd() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "hel");
    append(store, "run-1", 3, "lo");
    assertThat(read(store, "run-1", 2)).isEqualTo("llo");
    assertThat(read(store, "run-1", 5)).isEmpty();
    assertThat(read(store, "run-1", 5000)).isEmpty();
  }

  @Test
  void anUnknownRunHasNeitherOutputNorManifest() throws IOException {
    OutputStore store = open();
    assertThat(store.read(NAMESPACE, "run-1", 0)).isEmpty();
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.list(NAMESPACE)).isEmpty();
  }

  @Test
  void onlyFinishedOutputHasAManifest() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    OutputManifest manifest = new OutputManifest(3, true, digestOf("one"), ENDED);
    store.finish(NAMESPACE, "run-1", manifest);
    assertThat(store.manifest(NAMESPACE, "run-1")).contains(manifest);
    assertThat(open().manifest(NAMESPACE, "run-1")).contains(manifest);
    assertThat(read(store, "run-1", 0)).isEqualTo("one");
  }

  @Test
  void theFirstOfTwoProcessesThatFinishTheSameOutputWritesItsManifest() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    OutputManifest later = new OutputManifest(3, true, digestOf("one"), ENDED.plusSeconds(1));
    open().finish(NAMESPACE, "run-1", later);
    assertThat(store.manifest(NAMESPACE, "run-1")).contains(manifest("one"));
  }

  @Test
  void outputThatWasFinishedWithOtherBytesIsNotFinishedAgain() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    assertConflict(() -> store.finish(NAMESPACE, "run-1", manifest("eno")));
    assertThat(store.manifest(NAMESPACE, "run-1")).contains(manifest("one"));
  }

  @Test
  void outputIsFinishedOnlyWithTheLengthThatIsStored() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    assertConflict(() -> store.finish(NAMESPACE, "run-1", manifest("on")));
    assertThatThrownBy(() -> store.finish(NAMESPACE, "run-1", manifest("one more")))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(OutputConflictException.class);
    assertThatThrownBy(() -> store.finish(NAMESPACE, "run-2", manifest("one")))
        .isInstanceOf(IOException.class);
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.manifest(NAMESPACE, "run-2")).isEmpty();
  }

  @Test
  void deletedOutputIsGoneWithItsManifestAndMayBeDeletedAgain() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    append(store, "run-10", 0, "ten");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    store.delete(NAMESPACE, "run-1");
    store.delete(NAMESPACE, "run-1");
    assertThat(store.read(NAMESPACE, "run-1", 0)).isEmpty();
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.list(NAMESPACE)).extracting(OutputEntry::runUid).containsExactly("run-10");
    append(store, "run-1", 0, "another Pod");
    assertThat(read(store, "run-1", 0)).isEqualTo("another Pod");
  }

  @Test
  void aListHasTheOutputOfOneNamespaceWithItsLength() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    append(store, "run-2", 0, "two");
    append(store, "run-2", 3, "three");
    store.append("team-ab", "run-3", 0, bytes("theirs"));
    for (OutputStore any : new OutputStore[] {store, open()}) {
      assertThat(any.list(NAMESPACE))
          .extracting(entry -> entry.runUid() + " " + entry.bytes())
          .containsExactlyInAnyOrder("run-1 3", "run-2 8");
    }
  }

  @Test
  void aValueIsStoredBesideTheOutputAndByItself() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.putValue(NAMESPACE, "run-1", bytes("[1]"));
    store.putValue(NAMESPACE, "run-2", bytes("[2]"));
    for (OutputStore any : new OutputStore[] {store, open()}) {
      assertThat(any.value(NAMESPACE, "run-1")).hasValue(bytes("[1]"));
      assertThat(any.value(NAMESPACE, "run-2")).hasValue(bytes("[2]"));
      assertThat(any.value(NAMESPACE, "run-3")).isEmpty();
      assertThat(read(any, "run-1", 0)).isEqualTo("one");
      assertThat(any.read(NAMESPACE, "run-2", 0)).isEmpty();
    }
  }

  @Test
  void theSameValueMayBeStoredAgainAndNoOther() throws IOException {
    OutputStore store = open();
    store.putValue(NAMESPACE, "run-1", bytes("[1]"));
    open().putValue(NAMESPACE, "run-1", bytes("[1]"));
    assertConflict(() -> store.putValue(NAMESPACE, "run-1", bytes("[2]")));
    assertConflict(() -> open().putValue(NAMESPACE, "run-1", bytes("[1] ")));
    assertThat(store.value(NAMESPACE, "run-1")).hasValue(bytes("[1]"));
  }

  @Test
  void aListCountsValuesAndSaysHowMuchTheyTake() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.putValue(NAMESPACE, "run-1", bytes("[1]"));
    store.finish(NAMESPACE, "run-1", manifest("one"));
    store.putValue(NAMESPACE, "run-2", bytes("[2,2]"));
    assertThat(store.list(NAMESPACE))
        .extracting(entry -> entry.runUid() + " " + entry.bytes() + " " + entry.valueBytes())
        .containsExactlyInAnyOrder("run-1 6 3", "run-2 5 5");
  }

  @Test
  void aValueIsDeletedAloneOrWithTheOutput() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.putValue(NAMESPACE, "run-1", bytes("[1]"));
    store.deleteValue(NAMESPACE, "run-1");
    store.deleteValue(NAMESPACE, "run-1");
    assertThat(store.value(NAMESPACE, "run-1")).isEmpty();
    assertThat(read(store, "run-1", 0)).isEqualTo("one");
    store.putValue(NAMESPACE, "run-1", bytes("[2]"));
    store.delete(NAMESPACE, "run-1");
    assertThat(store.value(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.list(NAMESPACE)).isEmpty();
  }

  @Test
  void artifactsAreStoredByTheirNumbersBesideTheOutputAndByThemselves() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    ArtifactList stored = put(store, "run-1", "first", "", "third");
    assertThat(stored.artifacts())
        .containsExactly(entry("path 1", "first"), entry("path 2", ""), entry("path 3", "third"));
    put(store, "run-2", "second");
    for (OutputStore any : new OutputStore[] {store, open()}) {
      assertThat(any.artifacts(NAMESPACE, "run-1")).contains(stored);
      assertThat(artifact(any, "run-1", 1, 0)).isEqualTo("first");
      assertThat(artifact(any, "run-1", 2, 0)).isEmpty();
      assertThat(artifact(any, "run-1", 3, 0)).isEqualTo("third");
      assertThat(artifact(any, "run-2", 1, 0)).isEqualTo("second");
      assertThat(any.artifact(NAMESPACE, "run-1", 4, 0, 9)).isEmpty();
      assertThat(any.artifact(NAMESPACE, "run-3", 1, 0, 9)).isEmpty();
      assertThat(any.artifacts(NAMESPACE, "run-3")).isEmpty();
      assertThat(read(any, "run-1", 0)).isEqualTo("one");
      assertThat(any.read(NAMESPACE, "run-2", 0)).isEmpty();
    }
  }

  @Test
  void anArtifactLongerThanABufferIsStoredWhole() throws IOException {
    OutputStore store = open();
    String text = "0123456789abcdef".repeat(40_000);
    assertThat(put(store, "run-1", text, "x").artifacts())
        .containsExactly(entry("path 1", text), entry("path 2", "x"));
    assertThat(artifact(open(), "run-1", 1, 0)).isEqualTo(text);
    assertThat(artifact(open(), "run-1", 2, 0)).isEqualTo("x");
  }

  @Test
  void aPartOfAnArtifactEndsWithItAndIsEmptyPastItsEnd() throws IOException {
    OutputStore store = open();
    put(store, "run-1", "hello", "world");
    assertThat(artifact(store, "run-1", 1, 2)).isEqualTo("llo");
    assertThat(artifact(store, "run-1", 1, 5)).isEmpty();
    assertThat(artifact(store, "run-1", 1, 5000)).isEmpty();
    assertThat(artifact(store, "run-1", 1, 1, 3)).isEqualTo("ell");
    assertThat(artifact(store, "run-1", 1, 3, 300)).isEqualTo("lo");
    assertThat(artifact(store, "run-1", 2, 0, 0)).isEmpty();
    assertThat(store.artifact(NAMESPACE, "run-1", 1, 2, 1).orElseThrow().length()).isEqualTo(5);
  }

  @Test
  void nothingIsStoredOfArtifactsThatAreNotFinished() throws IOException {
    OutputStore store = open();
    try (ArtifactWriter writer = store.writeArtifacts(NAMESPACE, "run-1")) {
      writer.add("a", 5, stream("first"));
    }
    assertThat(store.artifacts(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.artifact(NAMESPACE, "run-1", 1, 0, 9)).isEmpty();
    assertThat(store.list(NAMESPACE)).isEmpty();
    put(store, "run-1", "second");
    assertThat(artifact(store, "run-1", 1, 0)).isEqualTo("second");
  }

  @Test
  void whatWasFinishedFirstStays() throws IOException {
    OutputStore store = open();
    try (ArtifactWriter late = open().writeArtifacts(NAMESPACE, "run-1")) {
      late.add("b", 5, stream("later"));
      ArtifactList first = put(store, "run-1", "first");
      assertThat(late.finish("message")).isEqualTo(first);
    }
    assertThat(put(open(), "run-1", "other", "more").artifacts())
        .containsExactly(entry("path 1", "first"));
    assertThat(artifact(store, "run-1", 1, 0)).isEqualTo("first");
  }

  @Test
  void anArtifactThatEndsEarlyIsAsIfItHadNotBeenBegun() throws IOException {
    OutputStore store = open();
    try (ArtifactWriter writer = store.writeArtifacts(NAMESPACE, "run-1")) {
      writer.add("a", 3, stream("one"));
      assertThatThrownBy(() -> writer.add("b", 600, stream("far too long".repeat(9))))
          .isInstanceOf(IOException.class);
      writer.add("c", 3, stream("two"));
      assertThat(writer.finish("b is missing"))
          .isEqualTo(
              new ArtifactList(List.of(entry("a", "one"), entry("c", "two")), "b is missing"));
    }
    assertThat(artifact(open(), "run-1", 2, 0)).isEqualTo("two");
    assertThat(open().artifacts(NAMESPACE, "run-1").orElseThrow().message())
        .isEqualTo("b is missing");
  }

  @Test
  void noMoreOfAnArtifactIsReadThanItsLength() throws IOException {
    OutputStore store = open();
    InputStream content = stream("first and more");
    try (ArtifactWriter writer = store.writeArtifacts(NAMESPACE, "run-1")) {
      writer.add("a", 5, content);
      writer.finish(null);
    }
    assertThat(artifact(store, "run-1", 1, 0)).isEqualTo("first");
    assertThat(content.readAllBytes()).isEqualTo(bytes(" and more"));
  }

  @Test
  void ofProcessesThatFinishArtifactsAtTheSameTimeOneStoresThemAndAllReportThose()
      throws Exception {
    int processes = 8;
    CyclicBarrier together = new CyclicBarrier(processes);
    List<Future<ArtifactList>> finished = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(processes)) {
      for (int process = 0; process < processes; process++) {
        OutputStore store = open();
        String text = "of process " + process;
        finished.add(
            threads.submit(
                () -> {
                  try (ArtifactWriter writer = store.writeArtifacts(NAMESPACE, "run-1")) {
                    writer.add("a", bytes(text).length, stream(text));
                    together.await();
                    return writer.finish(null);
                  }
                }));
      }
    }
    ArtifactList stored = open().artifacts(NAMESPACE, "run-1").orElseThrow();
    for (Future<ArtifactList> each : finished) {
      assertThat(each.get()).isEqualTo(stored);
    }
    assertThat(stored.artifacts()).containsExactly(entry("a", artifact(open(), "run-1", 1, 0)));
  }

  @Test
  void serversWithTheSameToolsCanBeListedAtTheSameTime() throws Exception {
    int servers = 4;
    OutputStore store = open();
    CyclicBarrier together = new CyclicBarrier(servers);
    List<Future<?>> listed = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(servers)) {
      for (int server = 0; server < servers; server++) {
        listed.add(
            threads.submit(
                () -> {
                  for (int tool = 0; tool < 20; tool++) {
                    together.await();
                    store.putDefinitions(
                        NAMESPACE, Map.of(Sha256.hex("tool" + tool), bytes("tool" + tool)));
                  }
                  return null;
                }));
      }
    }
    for (Future<?> each : listed) {
      each.get();
    }
    assertThat(store.definitions(NAMESPACE)).hasSize(20);
    assertThat(store.definition(NAMESPACE, Sha256.hex("tool7"))).contains(bytes("tool7"));
  }

  @Test
  void aListCountsArtifactsAndSaysHowMuchTheyTake() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.putValue(NAMESPACE, "run-1", bytes("[1]"));
    put(store, "run-1", "first", "second");
    put(store, "run-2", "third");
    for (OutputEntry entry : store.list(NAMESPACE)) {
      boolean isFirst = entry.runUid().equals("run-1");
      // With the list of the artifacts.
      assertThat(entry.artifactBytes()).isBetween(isFirst ? 11L : 5L, 1000L);
      assertThat(entry.bytes() - entry.artifactBytes()).isEqualTo(isFirst ? 6 : 0);
    }
    assertThat(store.list(NAMESPACE)).hasSize(2);
  }

  @Test
  void artifactsAreDeletedWithTheOutput() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    put(store, "run-1", "first");
    put(store, "run-2", "second");
    store.delete(NAMESPACE, "run-1");
    store.delete(NAMESPACE, "run-1");
    assertThat(store.artifact(NAMESPACE, "run-1", 1, 0, 9)).isEmpty();
    assertThat(store.artifacts(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.list(NAMESPACE)).extracting(OutputEntry::runUid).containsExactly("run-2");
    put(store, "run-1", "another");
    assertThat(artifact(store, "run-1", 1, 0)).isEqualTo("another");
  }

  /** Stores artifacts under the paths "path 1", "path 2" … */
  static ArtifactList put(OutputStore store, String run, String... texts) throws IOException {
    try (ArtifactWriter writer = store.writeArtifacts(NAMESPACE, run)) {
      for (int index = 0; index < texts.length; index++) {
        writer.add("path " + (index + 1), bytes(texts[index]).length, stream(texts[index]));
      }
      return writer.finish(null);
    }
  }

  private static ArtifactList.Entry entry(String path, String text) {
    return new ArtifactList.Entry(path, bytes(text).length, Sha256.hex(bytes(text)));
  }

  private static String artifact(OutputStore store, String run, int number, long offset)
      throws IOException {
    return artifact(store, run, number, offset, Long.MAX_VALUE);
  }

  private static String artifact(
      OutputStore store, String run, int number, long offset, long maxBytes) throws IOException {
    try (InputStream content =
        store.artifact(NAMESPACE, run, number, offset, maxBytes).orElseThrow().content()) {
      return new String(content.readAllBytes(), UTF_8);
    }
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(bytes(text));
  }

  static OutputManifest manifest(String content) {
    return new OutputManifest(content.length(), false, digestOf(content), ENDED);
  }

  private static String digestOf(String content) {
    OutputDigest digest = new OutputDigest();
    digest.add(0, bytes(content), content.length());
    return digest.manifest(false, ENDED).sha256();
  }

  private static void assertConflict(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable attempt) {
    assertThatThrownBy(attempt).isInstanceOf(OutputConflictException.class);
  }

  static void append(OutputStore store, String run, long offset, String text) throws IOException {
    store.append(NAMESPACE, run, offset, bytes(text));
  }

  static String read(OutputStore store, String run, long offset) throws IOException {
    try (InputStream output = store.read(NAMESPACE, run, offset).orElseThrow()) {
      return new String(output.readAllBytes(), UTF_8);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
