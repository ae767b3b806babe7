package dev.assay.operator.output;

import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outputs of runs: what this process writes, with its digests, and an index of what is stored.
 */
public final class RunOutputs {
  private static final Logger LOG = LoggerFactory.getLogger(RunOutputs.class);
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final String NO_ROOM =
      "No files were stored: the output store has too little free space. Delete runs that are not"
          + " needed any more, or have the platform team enlarge the volume of the output store"
          + " (operator.outputStore.size) or lower what a namespace may store"
          + " (operator.outputStore.limits.maxBytesPerNamespace)";

  private final OutputStore store;
  private final Clock clock;
  private final OutputIndex index = new OutputIndex();

  /** Outputs that this process has begun to write and not finished. */
  private final Map<Key, OutputDigest> writing = new ConcurrentHashMap<>();

  /** The bytes of all artifacts that are being stored: they may not be on disk yet. */
  private final AtomicLong expectedBytes = new AtomicLong();

  private final AtomicBoolean lacksRoom = new AtomicBoolean();

  private record Key(String namespace, String runUid) {}

  public RunOutputs(OutputStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /** The location of the store as shown to users. */
  public String location() {
    return store.location();
  }

  /**
   * Stores a part of the output. Each process stores all parts, from the first byte on, even if an
   * earlier process has stored them.
   *
   * @throws OutputConflictException if other bytes are stored there
   * @throws IOException if the part cannot be stored now
   */
  public void append(String namespace, String runUid, long offset, byte[] data) throws IOException {
    OutputDigest digest =
        writing.computeIfAbsent(new Key(namespace, runUid), key -> new OutputDigest());
    if (offset > digest.length()) {
      throw new IOException(
          "a gap in the output: the part at byte " + offset + " follows byte " + digest.length());
    }
    store.append(namespace, runUid, offset, data);
    digest.add(offset, data, data.length);
    count(namespace, runUid, (entry, now) -> entry.withOutput(digest.length(), now));
  }

  /**
   * Finishes the output that this process has stored; does nothing if there is none.
   *
   * @param truncated whether the code wrote more than was stored
   * @throws OutputConflictException if something else is stored
   * @throws IOException if it cannot be finished now; it must not be acknowledged then
   */
  public void finish(String namespace, String runUid, boolean truncated) throws IOException {
    Key key = new Key(namespace, runUid);
    OutputDigest digest = writing.get(key);
    if (digest != null && digest.length() > 0) {
      store.finish(namespace, runUid, digest.manifest(truncated, clock.instant()));
    }
    writing.remove(key);
  }

  /**
   * Finishes what is stored, by whichever process, of an output whose end was not received.
   * Afterwards this process writes no more of it, even if this fails.
   */
  public void finishPartial(String namespace, String runUid) throws IOException {
    writing.remove(new Key(namespace, runUid));
    if (store.manifest(namespace, runUid).isPresent()) {
      return;
    }
    Optional<InputStream> stored = store.read(namespace, runUid, 0);
    if (stored.isPresent()) {
      store.finish(namespace, runUid, digest(stored.get()).manifest(true, clock.instant()));
    }
  }

  private static OutputDigest digest(InputStream stored) throws IOException {
    OutputDigest digest = new OutputDigest();
    byte[] chunk = new byte[CHUNK_BYTES];
    try (stored) {
      for (int count = stored.read(chunk); count >= 0; count = stored.read(chunk)) {
        digest.add(digest.length(), chunk, count);
      }
    }
    return digest;
  }

  /** Reads from an offset to the end; empty for an unknown run. */
  public Optional<InputStream> read(String namespace, String runUid, long offset)
      throws IOException {
    return store.read(namespace, runUid, offset);
  }

  /**
   * Stores the value of a run, after its output.
   *
   * @throws OutputConflictException if another value is stored
   * @throws IOException if it cannot be stored now; it must not be acknowledged then
   */
  public void putValue(String namespace, String runUid, byte[] value) throws IOException {
    store.putValue(namespace, runUid, value);
    count(namespace, runUid, (entry, now) -> entry.withValue(value.length, now));
  }

  /** The value of a run; empty if none is stored. */
  public Optional<byte[]> value(String namespace, String runUid) throws IOException {
    return store.value(namespace, runUid);
  }

  /** Where the artifacts of a run come from. */
  public interface ArtifactSource {
    /**
     * Adds all artifacts, in their order.
     *
     * @return which files are missing, and why; null if none are
     */
    @Nullable String addTo(ArtifactWriter writer) throws IOException, InterruptedException;
  }

  /** Enforces the limits of a namespace. */
  public interface Limits {
    /** Removes what is stored beyond them, according to the index. */
    void enforce(String namespace) throws IOException;
  }

  /**
   * Stores the artifacts of a run, unless an operator process has stored them already. Where the
   * store has too little room for them, it stores that there are none, and why: what they would
   * take is left to the output and the values of all namespaces.
   *
   * @param expected how many bytes they may have together; they are counted until it is known how
   *     many they have
   * @param limits enforced when they are counted and before they are stored
   * @return what is stored, durably
   * @throws IOException if that is not possible now; they must not be acknowledged then
   */
  public ArtifactList storeArtifacts(
      String namespace, String runUid, long expected, Limits limits, ArtifactSource source)
      throws IOException, InterruptedException {
    long stored = 0;
    countArtifacts(namespace, runUid, expected);
    long allExpected = expectedBytes.addAndGet(expected);
    try {
      ArtifactList list = storeAll(namespace, runUid, allExpected, limits, source);
      stored = list.bytes();
      return list;
    } finally {
      expectedBytes.addAndGet(-expected);
      countArtifacts(namespace, runUid, stored);
    }
  }

  private ArtifactList storeAll(
      String namespace, String runUid, long allExpected, Limits limits, ArtifactSource source)
      throws IOException, InterruptedException {
    Optional<ArtifactList> before = store.artifacts(namespace, runUid);
    if (before.isPresent()) {
      return before.get();
    }
    limits.enforce(namespace);
    boolean hasRoom = hasRoomFor(allExpected);
    try (ArtifactWriter writer = store.writeArtifacts(namespace, runUid)) {
      return writer.finish(hasRoom ? source.addTo(writer) : NO_ROOM);
    }
  }

  /** A lack of room is logged once. */
  private boolean hasRoomFor(long bytes) throws IOException {
    OutputSpace space = store.space();
    boolean hasRoom = space.hasRoomFor(bytes);
    if (lacksRoom.getAndSet(!hasRoom) == hasRoom) {
      LOG.warn(
          "The output store {} has {} MiB of free space: files of runs are {}",
          location(),
          space.usableBytes() >> 20,
          hasRoom ? "stored again" : "not stored. Enlarge its volume");
    }
    return hasRoom;
  }

  private void countArtifacts(String namespace, String runUid, long bytes) {
    count(namespace, runUid, (entry, now) -> entry.withArtifacts(bytes, now));
  }

  private void count(
      String namespace, String runUid, BiFunction<OutputEntry, Instant, OutputEntry> change) {
    Instant now = clock.instant();
    index.update(namespace, OutputEntry.empty(runUid, now), entry -> change.apply(entry, now));
  }

  /** The artifacts that are stored of a run; empty if its artifacts were never stored. */
  public Optional<ArtifactList> artifacts(String namespace, String runUid) throws IOException {
    return store.artifacts(namespace, runUid);
  }

  /** Opens an artifact; empty if it is not stored. */
  public Optional<StoredArtifact> artifact(String namespace, String runUid, int number)
      throws IOException {
    return store.artifact(namespace, runUid, number, 0, Long.MAX_VALUE);
  }

  /**
   * Appends lines to the log of the calls of tools of a run.
   *
   * @param durable whether it is to survive a crash of the operator's node
   * @return the length of the log, with what others have appended before and perhaps since
   */
  public long appendCalls(String namespace, String runUid, byte[] lines, boolean durable)
      throws IOException {
    long length = store.appendCalls(namespace, runUid, lines, durable);
    count(namespace, runUid, (entry, now) -> entry.withMoreCalls(lines.length, now));
    return length;
  }

  /** Opens the log of the calls of a run at an offset; an empty one for an unknown run. */
  public InputStream calls(String namespace, String runUid, long offset) throws IOException {
    return store.calls(namespace, runUid, offset);
  }

  /** Stores the outcome of a call until the run's Pod has it. */
  public void putOutcome(String namespace, String runUid, int call, byte[] outcome)
      throws IOException {
    store.putOutcome(namespace, runUid, call, outcome);
  }

  /** Opens the outcome of a call; empty if none is stored. */
  public Optional<InputStream> outcome(String namespace, String runUid, int call)
      throws IOException {
    return store.outcome(namespace, runUid, call);
  }

  /** Deletes the outcome of a call; idempotent. */
  public void deleteOutcome(String namespace, String runUid, int call) throws IOException {
    store.deleteOutcome(namespace, runUid, call);
  }

  /** The definitions of tools. */
  public DefinitionStore definitions() {
    return store;
  }

  /** Deletes the value of a run, and keeps its output; idempotent. */
  public void deleteValue(String namespace, String runUid) throws IOException {
    store.deleteValue(namespace, runUid);
    index.removeValue(namespace, runUid);
  }

  /** Deletes all that is stored of a run, of which this process writes no more; idempotent. */
  public void delete(String namespace, String runUid) throws IOException {
    writing.remove(new Key(namespace, runUid));
    store.delete(namespace, runUid);
    index.remove(namespace, runUid);
  }

  /** Reads the index of a namespace from the store, which other processes may have written to. */
  public void loadIndex(String namespace) throws IOException {
    Instant begun = clock.instant();
    index.replace(namespace, store.list(namespace), begun);
  }

  /** Whether the index of a namespace was read from the store. */
  public boolean isIndexed(String namespace) {
    return index.isLoaded(namespace);
  }

  /** Whether something is stored of a run, according to the index. */
  public boolean isStored(String namespace, String runUid) {
    return index.contains(namespace, runUid);
  }

  /** What is stored in a namespace, according to the index. */
  public List<OutputEntry> entries(String namespace) {
    return index.entries(namespace);
  }

  /** Whether this process has begun to write the output of a run and not finished. */
  public boolean isBeingWritten(String namespace, String runUid) {
    return writing.containsKey(new Key(namespace, runUid));
  }
}
