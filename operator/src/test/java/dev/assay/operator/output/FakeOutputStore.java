package dev.assay.operator.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Output in memory, by namespace and UID. */
public final class FakeOutputStore implements OutputStore {
  private final Map<String, byte[]> stored = new ConcurrentHashMap<>();
  private final Set<String> complete = ConcurrentHashMap.newKeySet();
  private final List<String> pruned = new CopyOnWriteArrayList<>();
  private final AtomicInteger failures = new AtomicInteger();

  @Override
  public String location() {
    return "/outputs";
  }

  /** Fails this many of the next attempts to store or delete. */
  public void failNext(int times) {
    failures.set(times);
  }

  /** Fails all attempts after this many more. */
  public void failAfter(int times) {
    failures.set(-times);
  }

  /** Everything that is stored of a run; empty if nothing is. */
  public String text(String namespace, String runUid) {
    return new String(stored.getOrDefault(key(namespace, runUid), new byte[0]), UTF_8);
  }

  public boolean isComplete(String namespace, String runUid) {
    return complete.contains(key(namespace, runUid));
  }

  @Override
  public void append(String namespace, String runUid, long offset, byte[] data) throws IOException {
    failIfToldTo();
    byte[] before = stored.getOrDefault(key(namespace, runUid), new byte[0]);
    if (offset > before.length) {
      throw new IOException("a gap");
    }
    int end = Math.toIntExact(offset + data.length);
    byte[] after = Arrays.copyOf(before, Math.max(before.length, end));
    System.arraycopy(data, 0, after, Math.toIntExact(offset), data.length);
    stored.put(key(namespace, runUid), after);
  }

  @Override
  public void complete(String namespace, String runUid) {
    complete.add(key(namespace, runUid));
  }

  @Override
  public long size(String namespace, String runUid) {
    return stored.getOrDefault(key(namespace, runUid), new byte[0]).length;
  }

  @Override
  public Optional<InputStream> read(String namespace, String runUid, long offset)
      throws IOException {
    failIfToldTo();
    return Optional.ofNullable(stored.get(key(namespace, runUid)))
        .map(bytes -> Arrays.copyOfRange(bytes, Math.toIntExact(offset), bytes.length))
        .map(ByteArrayInputStream::new);
  }

  @Override
  public Set<String> storedRuns(String namespace) throws IOException {
    failIfToldTo();
    return stored.keySet().stream()
        .filter(key -> key.startsWith(namespace + "/") && complete.contains(key))
        .map(key -> key.substring(namespace.length() + 1))
        .collect(Collectors.toSet());
  }

  @Override
  public void prune(String namespace) {
    pruned.add(namespace);
  }

  /** The namespaces that were pruned, in order. */
  public List<String> pruned() {
    return pruned;
  }

  @Override
  public void delete(String namespace, String runUid) throws IOException {
    failIfToldTo();
    stored.remove(key(namespace, runUid));
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

  private static String key(String namespace, String runUid) {
    return namespace + "/" + runUid;
  }
}
