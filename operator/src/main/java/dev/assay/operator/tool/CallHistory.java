package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the log of a run says of its calls. Where two processes have recorded the same, the first
 * one in the log counts, whoever reads it.
 */
final class CallHistory {
  private final TreeMap<Integer, State> calls = new TreeMap<>();

  /**
   * A call.
   *
   * @param intent its latest attempt; null if it was refused
   * @param end its outcome; null as long as that is not known
   */
  record State(@Nullable Intent intent, @Nullable End end) {
    private State and(CallRecord record) {
      return switch (record) {
        case Intent next ->
            intent == null || next.attempt() > intent.attempt() ? new State(next, end) : this;
        case End next -> end == null ? new State(intent, next) : this;
      };
    }
  }

  private static final State NONE = new State(null, null);

  private long recordedArguments;

  /** How many bytes of arguments the log has; the history has none. */
  long recordedArguments() {
    return recordedArguments;
  }

  /** Adds a record, but for its arguments. */
  void add(CallRecord added) {
    CallRecord record = added;
    if (added instanceof Intent intent && intent.subject().arguments() != null) {
      recordedArguments += intent.subject().argumentBytes();
      record = intent.withoutArguments();
    }
    merge(record);
  }

  private void merge(CallRecord record) {
    calls.merge(record.call(), NONE.and(record), (before, unused) -> before.and(record));
  }

  /** The latest attempt to send a call; empty if it was never tried. */
  Optional<Intent> intent(int call) {
    return Optional.ofNullable(calls.getOrDefault(call, NONE).intent());
  }

  /** The outcome of a call; empty as long as it is not known. */
  Optional<End> end(int call) {
    return Optional.ofNullable(calls.getOrDefault(call, NONE).end());
  }

  /** All calls, by their numbers. */
  Collection<State> states() {
    return Collections.unmodifiableCollection(calls.values());
  }

  /** The calls that may have been sent and have no outcome. */
  Set<Integer> withoutEnd() {
    return calls.entrySet().stream()
        .filter(call -> call.getValue().end() == null)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** What calls have been made, for the decision about the next one. */
  CallPolicy.Usage usage(int inFlight) {
    int sent = 0;
    Integer excess = null;
    for (State state : calls.values()) {
      End end = state.end();
      if (end == null) {
        continue;
      }
      if (end.sent() != Sent.NO) {
        sent++;
      } else if (end.code() == CallCode.MAX_TOOL_CALLS_EXCEEDED && excess == null) {
        excess = end.group();
      }
    }
    return new CallPolicy.Usage(sent, inFlight, Optional.ofNullable(excess));
  }

  /** How many calls there were. One without an outcome may have been sent. */
  ToolCallCounts counts() {
    int sent = 0;
    int failed = 0;
    int refused = 0;
    for (State state : calls.values()) {
      End end = state.end();
      if (end != null && end.sent() == Sent.NO) {
        refused++;
      } else {
        sent++;
        failed += end == null || end.code() != null ? 1 : 0;
      }
    }
    return new ToolCallCounts(sent, failed, refused);
  }
}
