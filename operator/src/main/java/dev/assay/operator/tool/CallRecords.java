package dev.assay.operator.tool;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.toolcall.Sent;
import dev.assay.operator.tool.CallHistory.State;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The records of the calls of a run, as auditors read them: one for each call. */
public final class CallRecords {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OK = "OK";

  private CallRecords() {}

  /**
   * The records as lines of JSON, by the numbers of the calls.
   *
   * @param log the log of the run
   */
  public static byte[] ndjson(byte[] log) throws IOException {
    CallHistory history = new CallHistory();
    Map<Integer, String> arguments = new HashMap<>();
    CallLog.parse(
        log,
        record -> {
          history.add(record);
          if (record instanceof Intent intent && intent.subject().arguments() != null) {
            arguments.putIfAbsent(intent.call(), intent.subject().arguments());
          }
        });
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (State state : history.states()) {
      ObjectNode record = record(state);
      String recorded = arguments.get(record.path("call").asInt());
      if (recorded != null) {
        record.put("arguments", recorded);
      }
      lines.writeBytes(JSON.writeValueAsBytes(record));
      lines.write('\n');
    }
    return lines.toByteArray();
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
