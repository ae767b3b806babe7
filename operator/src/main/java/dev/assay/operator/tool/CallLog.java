package dev.assay.operator.tool;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.tool.CallRecord.Intent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The log of the calls of one run, in the output store. Several threads append to it: what waits
 * while one of them writes is written at once by the next, so that the calls of a batch need one or
 * two writes to disk.
 */
final class CallLog {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte LINE_FEED = '\n';

  private final RunOutputs outputs;
  private final String namespace;
  private final String runUid;

  /** Held while the store is read; of both, {@link #writing} is taken first. */
  private final Object reading = new Object();

  /** Guards the history, so that nobody waits for the store who only asks what is known. */
  private final Object knowing = new Object();

  private final CallHistory history = new CallHistory();
  private long read;
  private volatile boolean endsInLine = true;
  private volatile boolean loaded;

  /** Held while the store is written to. */
  private final Object writing = new Object();

  /** Guards those that wait to be written. */
  private final Object queueing = new Object();

  private List<Entry> queue = new ArrayList<>();

  private static final class Entry {
    final CallRecord record;
    final boolean durable;
    boolean written;

    /** Whether the history has it, and all that is before it in the log. */
    boolean known;

    Entry(CallRecord record, boolean durable) {
      this.record = record;
      this.durable = durable;
    }
  }

  /** The log of a run, of which nothing is read yet. */
  CallLog(RunOutputs outputs, String namespace, String runUid) {
    this.outputs = outputs;
    this.namespace = namespace;
    this.runUid = runUid;
  }

  /** Reads what processes before this one have recorded, once. */
  void load() throws IOException {
    if (loaded) {
      return;
    }
    synchronized (reading) {
      if (!loaded) {
        catchUp();
        loaded = true;
      }
    }
  }

  /** Reads what was recorded since. */
  private void catchUp() throws IOException {
    synchronized (reading) {
      try (InputStream more = outputs.calls(namespace, runUid, read)) {
        CallLines.Read lines = CallLines.read(more, this::learn);
        // A line without an end is one of a process that was killed meanwhile: it was not sent.
        endsInLine = lines.endsInLine();
        read += lines.bytes();
      }
    }
  }

  private void learn(CallRecord record) {
    synchronized (knowing) {
      history.add(record);
    }
  }

  /** What is known of the calls. */
  <T> T ask(Function<CallHistory, T> question) {
    synchronized (knowing) {
      return question.apply(history);
    }
  }

  ToolCallCounts counts() {
    return ask(CallHistory::counts);
  }

  /**
   * Records that a call is about to be sent; when this returns, the record survives a crash of the
   * operator and of its node.
   *
   * @return the record that counts: that of another process, if it was first
   * @throws IOException if it could not be stored; the call must not be sent then
   */
  Intent intend(Intent intent) throws IOException {
    if (!append(intent, /* durable= */ true)) {
      catchUp();
    }
    return ask(calls -> calls.intent(intent.call()))
        .orElseThrow(() -> new IOException("not stored"));
  }

  /**
   * Records the outcome of a call. It counts at once, and is written with the next record if that
   * is not possible now: a process that does not find it asks the gateway.
   */
  void end(CallRecord.End end) {
    learn(end);
    Entry entry = queued(end, /* durable= */ false);
    try {
      boolean unused = writeUpTo(entry);
    } catch (IOException e) {
      // It stays in the queue.
    }
  }

  /**
   * Makes all records durable.
   *
   * @throws IOException if that is not possible now
   */
  void flush() throws IOException {
    List<Entry> left;
    synchronized (queueing) {
      left = queue;
    }
    if (!left.isEmpty() || !ask(CallHistory::isEmpty)) {
      synchronized (writing) {
        write(/* force= */ true);
      }
    }
  }

  /** Returns whether the history has the record, and all that is before it in the log. */
  private boolean append(CallRecord record, boolean durable) throws IOException {
    Entry entry = queued(record, durable);
    try {
      return writeUpTo(entry);
    } catch (IOException e) {
      synchronized (queueing) {
        queue.remove(entry);
      }
      throw e;
    }
  }

  private Entry queued(CallRecord record, boolean durable) {
    Entry entry = new Entry(record, durable);
    synchronized (queueing) {
      queue.add(entry);
    }
    return entry;
  }

  /** Returns the same, of a record that is in the queue or was written since. */
  private boolean writeUpTo(Entry entry) throws IOException {
    synchronized (writing) {
      if (!entry.written) {
        write(/* force= */ false);
      }
      return entry.known;
    }
  }

  private void write(boolean force) throws IOException {
    List<Entry> taken;
    synchronized (queueing) {
      taken = queue;
      queue = new ArrayList<>();
    }
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    boolean durable = force;
    if (!endsInLine) {
      lines.write(LINE_FEED);
    }
    for (Entry entry : taken) {
      lines.writeBytes(JSON.writeValueAsBytes(entry.record));
      lines.write(LINE_FEED);
      durable |= entry.durable;
    }
    long length;
    try {
      length = outputs.appendCalls(namespace, runUid, lines.toByteArray(), durable);
    } catch (IOException e) {
      // A part of the lines may be there.
      endsInLine = false;
      synchronized (queueing) {
        taken.addAll(queue);
        queue = taken;
      }
      throw e;
    }
    endsInLine = true;
    boolean known = learnAppended(taken, lines.size(), length);
    for (Entry entry : taken) {
      entry.written = true;
      entry.known = known;
    }
  }

  /**
   * Learns what was just appended without reading it again, if nobody else has appended anything.
   *
   * @param bytes how many were appended
   * @param length of the log since
   */
  private boolean learnAppended(List<Entry> appended, long bytes, long length) {
    synchronized (reading) {
      if (read + bytes != length) {
        return false;
      }
      appended.forEach(entry -> learn(entry.record));
      read = length;
      return true;
    }
  }
}
