package dev.assay.operator.run.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Explores every state that can be reached from a first one, breadth first, so that the trace of a
 * violation is one of the shortest.
 *
 * @param <S> a state; equal if the future depends on the same
 */
final class Explorer<S> {
  /** A step that is possible in a state. */
  record Step<S>(Supplier<String> name, S after) {}

  /**
   * What was found.
   *
   * @param violation empty if there is none
   * @param trace the steps from the first state to the violation
   */
  record Result(int states, long transitions, String violation, List<String> trace) {
    @Override
    public String toString() {
      return "%,d states, %,d transitions%s"
          .formatted(
              states,
              transitions,
              violation.isEmpty() ? "" : "; " + violation + ":\n  " + String.join("\n  ", trace));
    }
  }

  private final Function<S, List<Step<S>>> steps;
  private final Function<S, String> violation;
  private final Predicate<S> settled;
  private final int maxStates;

  private final Map<S, Integer> numbers = new HashMap<>();
  private final List<S> states = new ArrayList<>();

  /** From which state each was reached first. */
  private final List<Integer> origins = new ArrayList<>();

  private final List<int[]> successors = new ArrayList<>();

  /**
   * An exploration.
   *
   * @param steps those that are possible in a state
   * @param violation what is wrong with a state; empty if nothing
   * @param settled where everything must be able to arrive, whatever has happened
   * @param maxStates more are a failure
   */
  Explorer(
      Function<S, List<Step<S>>> steps,
      Function<S, String> violation,
      Predicate<S> settled,
      int maxStates) {
    this.steps = steps;
    this.violation = violation;
    this.settled = settled;
    this.maxStates = maxStates;
  }

  /** Explores all that can follow. */
  Result explore(S first) {
    number(first, -1);
    long transitions = 0;
    for (int at = 0; at < states.size(); at++) {
      String wrong = violation.apply(states.get(at));
      if (!wrong.isEmpty()) {
        return new Result(states.size(), transitions, wrong, trace(at));
      }
      if (states.size() > maxStates) {
        throw new IllegalStateException("more than %,d states".formatted(maxStates));
      }
      List<Step<S>> possible = steps.apply(states.get(at));
      int[] after = new int[possible.size()];
      for (int i = 0; i < after.length; i++) {
        after[i] = number(possible.get(i).after(), at);
      }
      successors.add(after);
      transitions += after.length;
    }
    int stuck = firstThatCannotSettle();
    return stuck < 0
        ? new Result(states.size(), transitions, "", List.of())
        : new Result(
            states.size(), transitions, "no settled state can be reached from here", trace(stuck));
  }

  private int number(S state, int origin) {
    Integer known = numbers.putIfAbsent(state, states.size());
    if (known != null) {
      return known;
    }
    states.add(state);
    origins.add(origin);
    return states.size() - 1;
  }

  /** The first state from which no settled one can be reached; -1 for none. */
  private int firstThatCannotSettle() {
    int[][] before = predecessors();
    boolean[] settles = new boolean[states.size()];
    ArrayDeque<Integer> open = new ArrayDeque<>();
    for (int at = 0; at < settles.length; at++) {
      if (settled.test(states.get(at))) {
        settles[at] = true;
        open.add(at);
      }
    }
    while (!open.isEmpty()) {
      for (int earlier : before[open.remove()]) {
        if (!settles[earlier]) {
          settles[earlier] = true;
          open.add(earlier);
        }
      }
    }
    for (int at = 0; at < settles.length; at++) {
      if (!settles[at]) {
        return at;
      }
    }
    return -1;
  }

  private int[][] predecessors() {
    int[] counts = new int[states.size()];
    successors.forEach(after -> Arrays.stream(after).forEach(at -> counts[at]++));
    int[][] before = new int[states.size()][];
    for (int at = 0; at < counts.length; at++) {
      before[at] = new int[counts[at]];
    }
    for (int at = 0; at < successors.size(); at++) {
      for (int after : successors.get(at)) {
        before[after][--counts[after]] = at;
      }
    }
    return before;
  }

  private List<String> trace(int at) {
    ArrayDeque<String> trace = new ArrayDeque<>();
    for (int after = at; origins.get(after) >= 0; after = origins.get(after)) {
      trace.addFirst(step(states.get(origins.get(after)), states.get(after)));
    }
    return List.copyOf(trace);
  }

  private String step(S before, S after) {
    return steps.apply(before).stream()
        .filter(step -> step.after().equals(after))
        .findFirst()
        .orElseThrow()
        .name()
        .get();
  }
}
