/**
 * A model checker for the rules in "Binding" of docs/architecture.md.
 *
 * <p>It contains no operator code: the rules are written here a second time. A change of a rule in
 * {@code dev.assay.operator.run} must be repeated here.
 *
 * <p>{@link World} is one state. {@link Transitions} and {@link Environment} list every step that
 * can happen next in it. {@link Executions} (the operator) and {@link Servers} (API server and
 * supervisors) compute what a step changes. {@link Explorer} visits every reachable state, and
 * {@link Guarantees} says what must be true there. Start with {@link Rules}, {@link Place} and
 * {@link Request.Kind}.
 *
 * <p>Explored: one run with up to two faults, and two runs with one. A fault is any rare event,
 * such as a lost response, a killed Pod, a restarted process or a deleted run. A process that is
 * suspended simply takes no step, which is no fault.
 *
 * <p>Checked in every state: code of a run has started at most once; a run that ended as not
 * started has not started; a run that is done has a stored result; a run is lost only after a
 * fault; nothing is acknowledged before it is stored; no status is written after the run's end.
 * Checked over all states: a settled state can still be reached. That some sequence of steps leads
 * there does not prove that it happens.
 *
 * <p>What needs two runs and two faults is not explored. Nor are cancel, time limits, snapshots,
 * artifacts and the network check; that a hello is older than the write that takes a run over; and
 * that a process is suspended for longer than the time after which an unused Pod is deleted.
 */
@NullMarked
package dev.assay.operator.run.model;

import org.jspecify.annotations.NullMarked;
