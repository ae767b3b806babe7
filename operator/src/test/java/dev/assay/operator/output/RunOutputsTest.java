package dev.assay.operator.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.operator.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunOutputsTest {
  private static final String NAMESPACE = "team-a";
  private static final RunOutputs.Limits NO_LIMITS = namespace -> {};
  private static final RunOutputs.ArtifactSource NEVER_READ =
      writer -> {
        throw new AssertionError();
      };

  private final ManualClock clock = new ManualClock();
  private final FakeOutputStore store = new FakeOutputStore();
  private final RunOutputs outputs = new RunOutputs(store, clock);

  @Test
  void aFinishedOutputHasTheLengthAndTheDigestOfItsParts() throws Exception {
    append(outputs, 0, "one");
    append(outputs, 3, "two");
    append(outputs, 0, "one");
    append(outputs, 6, "three");
    outputs.finish(NAMESPACE, "run-1", true);
    assertThat(store.manifest(NAMESPACE, "run-1"))
        .contains(new OutputManifest(11, true, sha256("onetwothree"), clock.instant()));
  }

  @Test
  void aRunWithoutOutputHasNoManifest() throws IOException {
    outputs.finish(NAMESPACE, "run-1", false);
    outputs.finishPartial(NAMESPACE, "run-1");
    assertThat(store.storedRuns(NAMESPACE)).isEmpty();
  }

  @Test
  void aFailedFinishIsRepeatedAndThenDoneOnce() throws Exception {
    append(outputs, 0, "one");
    store.failNext(1);
    assertThatThrownBy(() -> outputs.finish(NAMESPACE, "run-1", false))
        .isInstanceOf(IOException.class);
    assertThat(outputs.isBeingWritten(NAMESPACE, "run-1")).isTrue();
    outputs.finish(NAMESPACE, "run-1", false);
    outputs.finish(NAMESPACE, "run-1", false);
    assertThat(store.manifest(NAMESPACE, "run-1").orElseThrow().sha256()).isEqualTo(sha256("one"));
    assertThat(outputs.isBeingWritten(NAMESPACE, "run-1")).isFalse();
  }

  @Test
  void partialOutputIsFinishedWithWhatEarlierProcessesStored() throws Exception {
    append(new RunOutputs(store, clock), 0, "one");
    append(new RunOutputs(store, clock), 0, "one");
    store.append(NAMESPACE, "run-1", 3, "two".getBytes(UTF_8));
    append(outputs, 0, "one");
    outputs.finishPartial(NAMESPACE, "run-1");
    assertThat(store.manifest(NAMESPACE, "run-1"))
        .contains(new OutputManifest(6, true, sha256("onetwo"), clock.instant()));
  }

  @Test
  void outputThatIsFinishedStaysAsItIs() throws IOException {
    append(outputs, 0, "one");
    outputs.finish(NAMESPACE, "run-1", false);
    outputs.finishPartial(NAMESPACE, "run-1");
    assertThat(store.manifest(NAMESPACE, "run-1").orElseThrow().truncated()).isFalse();
  }

  @Test
  void outputThatIsFinishedIsNotOpenedAgain() throws IOException {
    append(outputs, 0, "one");
    outputs.finish(NAMESPACE, "run-1", false);
    store.failAfter(1);
    outputs.finishPartial(NAMESPACE, "run-1");
    assertThat(outputs.isBeingWritten(NAMESPACE, "run-1")).isFalse();
  }

  @Test
  void outputIsBeingWrittenUntilItIsFinishedOrDeleted() throws IOException {
    append(outputs, 0, "one");
    assertThat(outputs.isBeingWritten(NAMESPACE, "run-1")).isTrue();
    outputs.delete(NAMESPACE, "run-1");
    assertThat(outputs.isBeingWritten(NAMESPACE, "run-1")).isFalse();
    append(outputs, 0, "one");
    store.failNext(1);
    assertThatThrownBy(() -> outputs.finishPartial(NAMESPACE, "run-1"))
        .isInstanceOf(IOException.class);
    assertThat(outputs.isBeingWritten(NAMESPACE, "run-1")).isFalse();
  }

  @Test
  void aProcessStoresOutputFromItsFirstByteOn() throws IOException {
    append(new RunOutputs(store, clock), 0, "one");
    assertThatThrownBy(() -> append(outputs, 3, "two")).hasMessageContaining("gap");
    assertThat(store.text(NAMESPACE, "run-1")).isEqualTo("one");
  }

  @Test
  void theIndexFollowsWhatThisProcessStoresAndDeletes() throws IOException {
    append(outputs, 0, "one");
    clock.advance(Duration.ofSeconds(1));
    append(outputs, 3, "two");
    assertThat(outputs.entries(NAMESPACE))
        .containsExactly(new OutputEntry("run-1", 6, 0, 0, 0, clock.instant()));
    assertThat(outputs.entries("team-b")).isEmpty();
    outputs.delete(NAMESPACE, "run-1");
    assertThat(outputs.entries(NAMESPACE)).isEmpty();
  }

  /** Else the logs of one namespace could fill the store. */
  @Test
  void theIndexCountsTheLogOfCallsWithTheOutputAsAListOfTheStoreDoes() throws IOException {
    outputs.appendCalls(NAMESPACE, "run-1", new byte[100], true);
    append(outputs, 0, "one");
    outputs.appendCalls(NAMESPACE, "run-1", new byte[50], false);
    append(outputs, 3, "two");
    outputs.putValue(NAMESPACE, "run-1", new byte[5]);

    assertThat(outputs.entries(NAMESPACE))
        .containsExactly(new OutputEntry("run-1", 6, 5, 0, 150, clock.instant()));
    RunOutputs next = new RunOutputs(store, clock);
    next.loadIndex(NAMESPACE);
    assertThat(next.entries(NAMESPACE))
        .singleElement()
        .satisfies(listed -> assertThat(listed.bytes()).isEqualTo(161));
  }

  @Test
  void theIndexCountsAValueWithTheOutputAndByItself() throws IOException {
    append(outputs, 0, "one");
    outputs.putValue(NAMESPACE, "run-1", new byte[5]);
    outputs.putValue(NAMESPACE, "run-1", new byte[5]);
    outputs.putValue(NAMESPACE, "run-2", new byte[7]);
    assertThat(outputs.entries(NAMESPACE))
        .containsExactlyInAnyOrder(
            new OutputEntry("run-1", 3, 5, 0, 0, clock.instant()),
            new OutputEntry("run-2", 0, 7, 0, 0, clock.instant()));
    outputs.deleteValue(NAMESPACE, "run-1");
    outputs.deleteValue(NAMESPACE, "run-3");
    outputs.delete(NAMESPACE, "run-2");
    assertThat(outputs.entries(NAMESPACE))
        .containsExactly(new OutputEntry("run-1", 3, 0, 0, 0, clock.instant()));
    assertThat(outputs.value(NAMESPACE, "run-1")).isEmpty();
  }

  @Test
  void whatIsNotStoredIsNotInTheIndex() {
    store.failNext(1);
    assertThatThrownBy(() -> append(outputs, 0, "one")).isInstanceOf(IOException.class);
    assertThat(outputs.entries(NAMESPACE)).isEmpty();
  }

  @Test
  void artifactsAreCountedAsExpectedUntilItIsKnownHowManyBytesCame() throws Exception {
    outputs.append(NAMESPACE, "run-1", 0, "one".getBytes(UTF_8));
    ArtifactList stored =
        outputs.storeArtifacts(
            NAMESPACE,
            "run-1",
            700,
            NO_LIMITS,
            writer -> {
              assertThat(counted()).containsExactly("run-1 703 700");
              writer.add("a", 5, new ByteArrayInputStream("hello".getBytes(UTF_8)));
              return "b was lost";
            });
    outputs.putValue(NAMESPACE, "run-1", "[1]".getBytes(UTF_8));
    assertThat(counted()).containsExactly("run-1 11 5");
    assertThat(outputs.artifacts(NAMESPACE, "run-1")).contains(stored);
    assertThat(stored.message()).isEqualTo("b was lost");
  }

  @Test
  void artifactsThatWereNotStoredAreNotCounted() {
    assertThatThrownBy(
            () ->
                outputs.storeArtifacts(
                    NAMESPACE,
                    "run-1",
                    700,
                    NO_LIMITS,
                    writer -> {
                      throw new IOException("the disk is full");
                    }))
        .hasMessage("the disk is full");
    assertThat(counted()).containsExactly("run-1 0 0");
  }

  @Test
  void artifactsThatAnotherProcessHasStoredAreNotStoredAgain() throws Exception {
    store.put(NAMESPACE, "run-1", Map.of("a", new byte[5]));
    ArtifactList stored = outputs.storeArtifacts(NAMESPACE, "run-1", 700, NO_LIMITS, NEVER_READ);
    assertThat(stored.artifacts()).extracting(ArtifactList.Entry::path).containsExactly("a");
    assertThat(counted()).containsExactly("run-1 5 5");
  }

  @Test
  void whereTheStoreHasLittleRoomNoFilesAreStoredAndTheRestGoesOn() throws Exception {
    store.space = new OutputSpace(300L << 20, 10L << 30);
    ArtifactList stored =
        outputs.storeArtifacts(NAMESPACE, "run-1", 64L << 20, NO_LIMITS, NEVER_READ);
    assertThat(stored.artifacts()).isEmpty();
    assertThat(stored.message())
        .startsWith("No files were stored: the output store has too little free space")
        .contains("operator.outputStore.size")
        .hasSizeLessThan(1024);
    assertThat(new RunOutputs(store, clock).artifacts(NAMESPACE, "run-1"))
        .as("durably: the next leader finds the same")
        .contains(stored);
    assertThat(counted()).containsExactly("run-1 0 0");
    outputs.append("team-b", "run-2", 0, "one".getBytes(UTF_8));
    assertThat(store.text("team-b", "run-2")).isEqualTo("one");
  }

  @Test
  void roomThatIsExpectedToBeTakenIsNotGivenTwice() throws Exception {
    store.space = new OutputSpace((256 + 100) << 20, 10L << 30);
    ArtifactList first =
        outputs.storeArtifacts(
            NAMESPACE,
            "run-1",
            64 << 20,
            NO_LIMITS,
            writer ->
                outputs
                    .storeArtifacts("team-b", "run-2", 64 << 20, NO_LIMITS, NEVER_READ)
                    .message());
    assertThat(first.message()).startsWith("No files were stored");
    assertThat(
            outputs
                .storeArtifacts("team-b", "run-3", 64 << 20, NO_LIMITS, writer -> null)
                .message())
        .as("when the first is done")
        .isNull();
  }

  @Test
  void theLimitsOfTheNamespaceAreEnforcedBeforeArtifactsAreStored() throws Exception {
    List<String> steps = new ArrayList<>();
    ArtifactList unused =
        outputs.storeArtifacts(
            NAMESPACE,
            "run-1",
            700,
            namespace -> steps.add("enforced in " + namespace + " with " + counted()),
            writer -> {
              steps.add("stored");
              return null;
            });
    assertThat(steps).containsExactly("enforced in team-a with [run-1 700 700]", "stored");
  }

  private List<String> counted() {
    return outputs.entries(NAMESPACE).stream()
        .map(entry -> entry.runUid() + " " + entry.bytes() + " " + entry.artifactBytes())
        .toList();
  }

  @Test
  void theIndexIsLoadedFromTheStore() throws IOException {
    append(new RunOutputs(store, clock), 0, "one");
    assertThat(outputs.entries(NAMESPACE)).isEmpty();
    outputs.loadIndex(NAMESPACE);
    assertThat(outputs.entries(NAMESPACE))
        .extracting(OutputEntry::runUid, OutputEntry::bytes)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("run-1", 3L));
    store.delete(NAMESPACE, "run-1");
    outputs.loadIndex(NAMESPACE);
    assertThat(outputs.entries(NAMESPACE)).isEmpty();
  }

  private static void append(RunOutputs outputs, long offset, String text) throws IOException {
    outputs.append(NAMESPACE, "run-1", offset, text.getBytes(UTF_8));
  }

  private static String sha256(String text) throws NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
  }
}
