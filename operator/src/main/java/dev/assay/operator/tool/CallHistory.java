package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the log of a run says of its calls. Where two processes have recorded the same, the first
 * one in the log counts, whoever reads it.
 *
 * <p>One call or one batch is open at a time. Of those before, which have their outcomes, no more
 * is kept than what decisions and counts need.
 */
final class CallHistory {
  private final TreeMap<Integer, State> calls = new TreeMap<>();
  private final Map<Integer, Settled> settled = new HashMap<>();
  private final Set<String> addresses = new HashSet<>();

  /** The number of the first call of those that are open, or were last. */
  private int group;

  private int settledSent;
  private int settledFailed;

  /** The first call that was one too many. */
  private @Nullable End excess;

  /**
   * A call.
   *
   * @param intent its latest attempt; null if it was refused
   * @param end its outcome; null as long as that is not known
   */
  record State(@Nullable Intent intent, @Nullable End end) {
    static final State NONE = new State(null, null);

    State and(CallRecord record) {
      return switch (record) {
        case Intent next ->
            intent == null || next.attempt() > intent.attempt() ? new State(next, end) : this;
        case End next -> end == null ? new State(intent, next) : this;
      };
    }
  }

  /** A call that has its outcome, and others were made since. */
  private record Settled(String digest, @Nullable CallCode code, Sent sent) {}

  /** The outcome of a call, for those who make it again. */
  record Known(@Nullable CallCode code, Sent sent) {}

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
    int call = record.call();
    if (record.group() > group) {
      group = record.group();
      settle();
    }
    if (settled.containsKey(call)) {
      return;
    }
    if (record instanceof Intent intent && !intent.replica().equals(Replica.NONE)) {
      addresses.add(intent.replica().address());
    }
    State state = calls.getOrDefault(call, State.NONE).and(record);
    calls.put(call, state);
    End end = state.end();
    if (end != null
        && end.code() == CallCode.MAX_TOOL_CALLS_EXCEEDED
        && end.sent() == Sent.NO
        && (excess == null || call < excess.call())) {
      excess = end;
    }
  }

  private void settle() {
    Iterator<State> before = calls.headMap(group).values().iterator();
    while (before.hasNext()) {
      End end = before.next().end();
      if (end != null) {
        settled.put(end.call(), new Settled(end.subject().digest(), end.code(), end.sent()));
        settledSent += isSent(end) ? 1 : 0;
        settledFailed += isSent(end) && end.code() != null ? 1 : 0;
        before.remove();
      }
    }
  }

  private static boolean isSent(@Nullable End end) {
    return end == null || end.sent() != Sent.NO;
  }

  /** The latest attempt to send one of the calls that are open; empty if it was never tried. */
  Optional<Intent> intent(int call) {
    return Optional.ofNullable(calls.getOrDefault(call, State.NONE).intent());
  }

  /** The digest of a call; empty where it was not made before. */
  Optional<String> digest(int call) {
    Settled before = settled.get(call);
    return before != null
        ? Optional.of(before.digest())
        : intent(call).map(intent -> intent.subject().digest());
  }

  /** The outcome of a call; empty as long as it is not known. */
  Optional<Known> outcome(int call) {
    Settled before = settled.get(call);
    if (before != null) {
      return Optional.of(new Known(before.code(), before.sent()));
    }
    return Optional.ofNullable(calls.getOrDefault(call, State.NONE).end())
        .map(end -> new Known(end.code(), end.sent()));
  }

  /** Whether no call was made. */
  boolean isEmpty() {
    return calls.isEmpty() && settled.isEmpty();
  }

  /** Where calls were sent. */
  Set<String> addresses() {
    return Set.copyOf(addresses);
  }

  /** The intents of calls that may have been sent and have no outcome. */
  List<Intent> unended() {
    List<Intent> unended = new ArrayList<>();
    for (State state : calls.values()) {
      Intent intent = state.intent();
      if (state.end() == null && intent != null) {
        unended.add(intent);
      }
    }
    return unended;
  }

  /** Their numbers. */
  Set<Integer> withoutEnd() {
    return unended().stream().map(Intent::call).collect(Collectors.toSet());
  }

  /** What calls have been made, for the decision about the next one. */
  CallPolicy.Usage usage(int inFlight) {
    int sent = settledSent;
    for (State state : calls.values()) {
      sent += state.end() != null && isSent(state.end()) ? 1 : 0;
    }
    return new CallPolicy.Usage(sent, inFlight, Optional.ofNullable(excess).map(End::group));
  }

  /** How many calls there were. One without an outcome may have been sent. */
  ToolCallCounts counts() {
    int sent = settledSent;
    int failed = settledFailed;
    for (State state : calls.values()) {
      End end = state.end();
      if (isSent(end)) {
        sent++;
        failed += end == null || end.code() != null ? 1 : 0;
      }
    }
    return new ToolCallCounts(sent, failed, settled.size() + calls.size() - sent);
  }
}
