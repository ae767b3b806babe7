package dev.assay.operator.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.digest.Sha256;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Output in memory, as an object store would have it: each part is an object named by its offset,
 * created unless it exists, and objects are found by the beginning of their names.
 */
public class FakeOutputStore implements OutputStore {
  private static final String MANIFEST = "manifest";
  private static final String VALUE = "value";
  private static final String ARTIFACTS = "artifacts";
  private static final String ARTIFACT_LIST = "list";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ConcurrentNavigableMap<String, byte[]> objects;

  /** How much room there is; set by the test. */
  public volatile OutputSpace space = new OutputSpace(Long.MAX_VALUE, Long.MAX_VALUE);

  /** What happens before the space is returned. */
  public volatile Runnable onSpace = () -> {};

  /** What the definitions of a namespace may take; set by the test. */
  public volatile long maxDefinitionBytes = DefinitionLimit.DEFAULT.maxBytes();

  private final AtomicInteger failures = new AtomicInteger();

  public FakeOutputStore() {
    this(new ConcurrentSkipListMap<>());
  }

  /** A store with the objects of another process's store. */
  FakeOutputStore(ConcurrentNavigableMap<String, byte[]> objects) {
    this.objects = objects;
  }

  @Override
  public String location() {
    return "/outputs";
  }

  /** Fails this many of the next attempts to store, read or delete. */
  public void failNext(int times) {
    failures.set(times);
  }

  /** Fails all attempts after this many more. */
  public void failAfter(int times) {
    failures.set(-times);
  }

  /** Everything that is stored of a run; empty if nothing is. */
  public String text(String namespace, String runUid) {
    return new String(content(namespace, runUid), UTF_8);
  }

  public boolean isComplete(String namespace, String runUid) {
    return objects.containsKey(key(namespace, runUid, MANIFEST));
  }

  /** The UIDs of the runs with output or a manifest. */
  public Set<String> storedRuns(String namespace) {
    Set<String> found = new LinkedHashSet<>();
    withPrefix(namespace + "/").keySet().forEach(key -> found.add(key.split("/")[1]));
    return found;
  }

  @Override
  public void append(String namespace, String runUid, long offset, byte[] data) throws IOException {
    failIfToldTo();
    byte[] before = objects.putIfAbsent(partKey(namespace, runUid, offset), data.clone());
    if (before != null && !Arrays.equals(before, data)) {
      throw new OutputConflictException("other bytes are stored at " + offset);
    }
  }

  @Override
  public void finish(String namespace, String runUid, OutputManifest manifest) throws IOException {
    failIfToldTo();
    long stored = content(namespace, runUid).length;
    if (stored > manifest.length()) {
      throw new OutputConflictException("more bytes are stored");
    }
    if (stored < manifest.length()) {
      throw new IOException("bytes are missing");
    }
    byte[] before = objects.putIfAbsent(key(namespace, runUid, MANIFEST), manifest.toJson());
    if (before != null && !OutputManifest.parse(before).orElseThrow().isOfSameOutput(manifest)) {
      throw new OutputConflictException("finished with other bytes");
    }
  }

  @Override
  public Optional<OutputManifest> manifest(String namespace, String runUid) throws IOException {
    failIfToldTo();
    return Optional.ofNullable(objects.get(key(namespace, runUid, MANIFEST)))
        .flatMap(OutputManifest::parse);
  }

  @Override
  public Optional<InputStream> read(String namespace, String runUid, long offset)
      throws IOException {
    failIfToldTo();
    if (parts(namespace, runUid).isEmpty()) {
      return Optional.empty();
    }
    byte[] content = content(namespace, runUid);
    int from = (int) Math.min(offset, content.length);
    return Optional.of(new ByteArrayInputStream(content, from, content.length - from));
  }

  @Override
  public OutputSpace space() {
    onSpace.run();
    return space;
  }

  @Override
  public List<OutputEntry> list(String namespace) throws IOException {
    failIfToldTo();
    return storedRuns(namespace).stream().map(uid -> entry(namespace, uid)).toList();
  }

  private OutputEntry entry(String namespace, String uid) {
    int callBytes =
        withPrefix(key(namespace, uid, "calls-")).values().stream()
            .mapToInt(part -> part.length)
            .sum();
    int valueBytes = objects.getOrDefault(key(namespace, uid, VALUE), new byte[0]).length;
    int artifactBytes = objects.getOrDefault(key(namespace, uid, ARTIFACTS), new byte[0]).length;
    return new OutputEntry(
        uid, content(namespace, uid).length, valueBytes, artifactBytes, callBytes, Instant.EPOCH);
  }

  @Override
  public void putValue(String namespace, String runUid, byte[] value) throws IOException {
    failIfToldTo();
    byte[] before = objects.putIfAbsent(key(namespace, runUid, VALUE), value.clone());
    if (before != null && !Arrays.equals(before, value)) {
      throw new OutputConflictException("another value is stored");
    }
  }

  @Override
  public Optional<byte[]> value(String namespace, String runUid) throws IOException {
    failIfToldTo();
    return Optional.ofNullable(objects.get(key(namespace, runUid, VALUE)));
  }

  @Override
  public void deleteValue(String namespace, String runUid) throws IOException {
    failIfToldTo();
    objects.remove(key(namespace, runUid, VALUE));
  }

  @Override
  public long appendCalls(String namespace, String runUid, byte[] lines, boolean durable)
      throws IOException {
    failIfToldTo();
    byte[] part = lines.clone();
    long length = part.length;
    int number = 0;
    // As of an object that is created unless it exists: who comes second takes the next name.
    byte[] before = objects.putIfAbsent(callsKey(namespace, runUid, number), part);
    while (before != null) {
      length += before.length;
      number++;
      before = objects.putIfAbsent(callsKey(namespace, runUid, number), part);
    }
    return length;
  }

  private static String callsKey(String namespace, String runUid, int number) {
    return key(namespace, runUid, "calls-%09d".formatted(number));
  }

  @Override
  public InputStream calls(String namespace, String runUid, long offset) throws IOException {
    failIfToldTo();
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    withPrefix(key(namespace, runUid, "calls-")).values().forEach(log::writeBytes);
    byte[] all = log.toByteArray();
    int from = (int) Math.min(offset, all.length);
    return new ByteArrayInputStream(all, from, all.length - from);
  }

  @Override
  public void putOutcome(String namespace, String runUid, int call, byte[] outcome)
      throws IOException {
    failIfToldTo();
    objects.put(key(namespace, runUid, "outcome-" + call), outcome.clone());
  }

  @Override
  public Optional<InputStream> outcome(String namespace, String runUid, int call)
      throws IOException {
    failIfToldTo();
    return Optional.ofNullable(objects.get(key(namespace, runUid, "outcome-" + call)))
        .map(ByteArrayInputStream::new);
  }

  @Override
  public void deleteOutcome(String namespace, String runUid, int call) throws IOException {
    failIfToldTo();
    objects.remove(key(namespace, runUid, "outcome-" + call));
  }

  @Override
  public void putDefinitions(String namespace, Map<String, byte[]> definitions) throws IOException {
    failIfToldTo();
    synchronized (objects) {
      SortedMap<String, byte[]> stored = withPrefix(definitionKey(namespace, ""));
      Map<String, byte[]> all = new HashMap<>(stored);
      definitions.forEach((digest, json) -> all.put(definitionKey(namespace, digest), json));
      if (all.size() > stored.size()) {
        long counted =
            all.values().stream().mapToLong(json -> DefinitionLimit.counted(json.length)).sum();
        new DefinitionLimit(maxDefinitionBytes).check(counted);
      }
      all.forEach((key, json) -> objects.putIfAbsent(key, json.clone()));
    }
  }

  @Override
  public Optional<byte[]> definition(String namespace, String digest) throws IOException {
    failIfToldTo();
    return Optional.ofNullable(objects.get(definitionKey(namespace, digest)));
  }

  @Override
  public Set<String> definitions(String namespace) throws IOException {
    failIfToldTo();
    Set<String> digests = new LinkedHashSet<>();
    String prefix = definitionKey(namespace, "");
    withPrefix(prefix).keySet().forEach(key -> digests.add(key.substring(prefix.length())));
    return digests;
  }

  @Override
  public void deleteDefinition(String namespace, String digest) throws IOException {
    failIfToldTo();
    objects.remove(definitionKey(namespace, digest));
  }

  /** In a namespace of its own, since it belongs to no run. */
  private static String definitionKey(String namespace, String digest) {
    return "definitions-of-" + namespace + "/" + digest;
  }

  /** Stores artifacts, as a run that has ended would have left them. */
  public void put(String namespace, String runUid, Map<String, byte[]> artifacts) {
    try (ArtifactWriter writer = writeArtifacts(namespace, runUid)) {
      for (Map.Entry<String, byte[]> artifact : artifacts.entrySet()) {
        byte[] bytes = artifact.getValue();
        writer.add(artifact.getKey(), bytes.length, new ByteArrayInputStream(bytes));
      }
      writer.finish(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public ArtifactWriter writeArtifacts(String namespace, String runUid) throws IOException {
    failIfToldTo();
    return new Writer(namespace, runUid);
  }

  private final class Writer implements ArtifactWriter {
    private final String namespace;
    private final String runUid;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<ArtifactList.Entry> added = new ArrayList<>();

    Writer(String namespace, String runUid) {
      this.namespace = namespace;
      this.runUid = runUid;
    }

    @Override
    public void add(String path, long bytes, InputStream artifact) throws IOException {
      failIfToldTo();
      byte[] all = artifact.readNBytes((int) bytes);
      if (all.length < bytes) {
        throw new EOFException("an artifact ended early");
      }
      content.writeBytes(all);
      added.add(new ArtifactList.Entry(path, bytes, Sha256.hex(all)));
    }

    @Override
    public ArtifactList finish(@Nullable String message) throws IOException {
      failIfToldTo();
      synchronized (objects) {
        if (objects.putIfAbsent(key(namespace, runUid, ARTIFACTS), content.toByteArray()) == null) {
          byte[] list = JSON.writeValueAsBytes(new ArtifactList(added, message));
          objects.put(key(namespace, runUid, ARTIFACT_LIST), list);
        }
      }
      return find(namespace, runUid).orElseThrow();
    }

    @Override
    public void close() {}
  }

  @Override
  public Optional<ArtifactList> artifacts(String namespace, String runUid) throws IOException {
    failIfToldTo();
    return find(namespace, runUid);
  }

  @Override
  public Optional<StoredArtifact> artifact(
      String namespace, String runUid, int number, long offset, long maxBytes) throws IOException {
    failIfToldTo();
    return find(namespace, runUid)
        .filter(list -> list.contains(number))
        .map(
            list -> {
              byte[] all = requireNonNull(objects.get(key(namespace, runUid, ARTIFACTS)));
              int length = (int) list.artifacts().get(number - 1).bytes();
              int from = (int) Math.min(offset, length);
              int part = (int) Math.min(maxBytes, length - from);
              return new StoredArtifact(
                  length, new ByteArrayInputStream(all, (int) list.offset(number) + from, part));
            });
  }

  private Optional<ArtifactList> find(String namespace, String runUid) {
    byte[] json = objects.get(key(namespace, runUid, ARTIFACT_LIST));
    try {
      return json == null
          ? Optional.empty()
          : Optional.of(JSON.readValue(json, ArtifactList.class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void delete(String namespace, String runUid) throws IOException {
    failIfToldTo();
    withPrefix(key(namespace, runUid, "")).clear();
  }

  /** The parts without a gap, from the beginning. */
  private byte[] content(String namespace, String runUid) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (Map.Entry<String, byte[]> part : parts(namespace, runUid).entrySet()) {
      if (!part.getKey().equals(partKey(namespace, runUid, content.size()))) {
        break;
      }
      content.writeBytes(part.getValue());
    }
    return content.toByteArray();
  }

  private SortedMap<String, byte[]> parts(String namespace, String runUid) {
    return withPrefix(key(namespace, runUid, "part-"));
  }

  private SortedMap<String, byte[]> withPrefix(String prefix) {
    return objects.subMap(prefix, prefix + Character.MAX_VALUE);
  }

  private static String partKey(String namespace, String runUid, long offset) {
    return key(namespace, runUid, "part-%019d".formatted(offset));
  }

  private static String key(String namespace, String runUid, String object) {
    return namespace + "/" + runUid + "/" + object;
  }

  private void failIfToldTo() throws IOException {
    int before = failures.getAndUpdate(FakeOutputStore::next);
    if (before > 0) {
      throw new IOException("the disk is full");
    }
  }

  /** Above zero: failures that are left. Below zero: successes that are left before all fail. */
  private static int next(int failures) {
    if (failures < 0) {
      return failures == -1 ? Integer.MAX_VALUE : failures + 1;
    }
    return Math.max(0, failures - 1);
  }
}
