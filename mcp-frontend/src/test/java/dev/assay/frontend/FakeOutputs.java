package dev.assay.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ToolCallRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An output store in memory, which can be out of reach. */
public final class FakeOutputs implements OutputStore {
  private final Map<String, byte[]> outputs = new ConcurrentHashMap<>();
  private final Map<String, byte[]> values = new ConcurrentHashMap<>();
  private final Map<String, byte[]> artifacts = new ConcurrentHashMap<>();
  private final Map<String, byte[]> definitions = new ConcurrentHashMap<>();
  private final Map<String, List<ToolCallRecord>> calls = new ConcurrentHashMap<>();
  private volatile boolean reachable = true;

  /** Adds to the output of a run. */
  public FakeOutputs append(String runUid, String text) {
    return append(runUid, text.getBytes(UTF_8));
  }

  /** Adds to the output of a run. */
  public FakeOutputs append(String runUid, byte[] bytes) {
    outputs.merge(runUid, bytes, FakeOutputs::joined);
    return this;
  }

  /** Stores the value of a run. */
  public FakeOutputs value(String runUid, String json) {
    values.put(runUid, json.getBytes(UTF_8));
    return this;
  }

  /** Stores an artifact of a run. */
  public FakeOutputs artifact(String runUid, int number, byte[] bytes) {
    artifacts.put(runUid + "/" + number, bytes);
    return this;
  }

  /** Stores the definition of a tool. */
  public FakeOutputs definition(String digest, String json) {
    definitions.put(digest, json.getBytes(UTF_8));
    return this;
  }

  /** Adds the record of a call of a tool that a run has made. */
  public FakeOutputs call(String runUid, ToolCallRecord record) {
    calls.computeIfAbsent(runUid, uid -> new CopyOnWriteArrayList<>()).add(record);
    return this;
  }

  /** Whether it can be asked. */
  public FakeOutputs reachable(boolean now) {
    this.reachable = now;
    return this;
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] all = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    return all;
  }

  @Override
  public Stored read(String namespace, String runUid, long offset, int maxBytes) {
    if (!reachable) {
      return new Missing("the output store could not be reached");
    }
    return part(outputs.get(runUid), offset, maxBytes);
  }

  private static Stored part(byte @Nullable [] all, long offset, int maxBytes) {
    if (all == null) {
      return new Absent();
    }
    int from = (int) Math.min(offset, all.length);
    return new Bytes(Arrays.copyOfRange(all, from, Math.min(all.length, from + maxBytes)));
  }

  @Override
  public Stored readArtifact(
      String namespace, String runUid, int number, long offset, int maxBytes) {
    return reachable
        ? part(artifacts.get(runUid + "/" + number), offset, maxBytes)
        : new Missing("the output store could not be reached");
  }

  @Override
  public Stored readValue(String namespace, String runUid) {
    if (!reachable) {
      return new Missing("the output store could not be reached");
    }
    byte[] value = values.get(runUid);
    return value == null ? new Absent() : new Bytes(value);
  }

  @Override
  public Stored readDefinition(String namespace, String digest) {
    if (!reachable) {
      return new Missing("the output store could not be reached");
    }
    byte[] definition = definitions.get(digest);
    return definition == null ? new Absent() : new Bytes(definition);
  }

  @Override
  public StoredCalls readCalls(String namespace, String runUid, int after, int limit) {
    if (!reachable) {
      return new Missing("the output store could not be reached");
    }
    List<ToolCallRecord> all = calls.get(runUid);
    if (all == null) {
      return new Absent();
    }
    List<ToolCallRecord> later = all.stream().filter(one -> one.call() > after).toList();
    return new Calls(later.stream().limit(limit).toList(), later.size() > limit);
  }
}
