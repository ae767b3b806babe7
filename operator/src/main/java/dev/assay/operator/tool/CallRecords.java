package dev.assay.operator.tool;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.toolcall.Sent;
import dev.assay.operator.tool.CallHistory.State;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The records of the calls of a run, as auditors read them: one for each call. */
public final class CallRecords {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OK = "OK";

  private CallRecords() {}

  /** Takes the lines. */
  @FunctionalInterface
  public interface Lines {
    /**
     * Takes the next one, without its end.
     *
     * @return false if no more are wanted
     */
    boolean take(byte[] json) throws IOException;
  }

  /**
   * Reads the records as lines of JSON, by the numbers of the calls. However many there are, those
   * of one batch are in memory.
   *
   * @param log the log of the run
   * @return whether there are any
   */
  public static boolean read(InputStream log, Lines lines) throws IOException {
    OpenCalls open = new OpenCalls(lines);
    try {
      CallLines.Read unused = CallLines.read(log, open::add);
      open.end();
    } catch (EnoughException e) {
      // The rest is not wanted.
    }
    return open.group > 0;
  }

  private static final class EnoughException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** The calls that may get another record: one call or one batch is open at a time. */
  private static final class OpenCalls {
    private final Lines lines;
    private final TreeMap<Integer, State> states = new TreeMap<>();
    private final Map<Integer, String> arguments = new HashMap<>();
    private int group;

    OpenCalls(Lines lines) {
      this.lines = lines;
    }

    void add(CallRecord record) throws IOException {
      if (record.group() > group) {
        group = record.group();
        end(states.headMap(group));
      }
      if (record.call() < group) {
        return; // A process that did not know yet that it was replaced.
      }
      states.merge(record.call(), State.NONE.and(record), (before, unused) -> before.and(record));
      if (record instanceof Intent intent && intent.subject().arguments() != null) {
        arguments.putIfAbsent(intent.call(), intent.subject().arguments());
      }
    }

    void end() throws IOException {
      end(states);
    }

    private void end(SortedMap<Integer, State> ended) throws IOException {
      for (Map.Entry<Integer, State> call : ended.entrySet()) {
        ObjectNode record = record(call.getValue());
        String recorded = arguments.remove(call.getKey());
        if (recorded != null) {
          record.put("arguments", recorded);
        }
        if (!lines.take(JSON.writeValueAsBytes(record))) {
          throw new EnoughException();
        }
      }
      ended.clear();
    }
  }

  private static ObjectNode record(State state) {
    Intent intent = state.intent();
    End end = state.end();
    ObjectNode record = JSON.createObjectNode();
    if (intent != null) {
      record.put("call", intent.call());
      add(record, intent.subject());
      record.put("begun", intent.at());
    } else if (end != null) {
      record.put("call", end.call());
      add(record, end.subject());
    }
    if (end == null) {
      return record.put("sent", Sent.UNKNOWN.wireName());
    }
    record
        .put("outcome", end.code() == null ? OK : end.code().name())
        .put("sent", end.sent().wireName())
        .put("resultBytes", end.resultBytes())
        .put("resultSha256", end.resultSha256())
        .put("ended", end.at());
    return end.millis() == null ? record : record.put("millis", end.millis());
  }

  private static void add(ObjectNode record, Subject subject) {
    record
        .put("server", subject.server())
        .put("tool", subject.tool())
        .put("digest", subject.digest())
        .put("argumentBytes", subject.argumentBytes())
        .put("argumentSha256", subject.argumentSha256());
  }
}
