package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Explorer.Step;
import dev.assay.operator.run.model.Request.Kind;
import dev.assay.operator.run.model.Rules.Mistake;
import dev.assay.operator.run.model.World.Fact;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * All that can happen next: what two operator processes do, one of which may have been replaced
 * without knowing it, what becomes of their requests, and faults.
 *
 * <p>Each step is one that others cannot divide. Between two of them anything else may happen, for
 * as long as it likes, so that a process that is suspended is one that takes no step.
 */
final class Binding {
  private final Rules rules;
  private final Servers servers;
  private final Executions executions;
  private final World world;
  private final Steps steps;

  private Binding(Rules rules, Servers servers, Executions executions, World world) {
    this.rules = rules;
    this.servers = servers;
    this.executions = executions;
    this.world = world;
    this.steps = new Steps(world);
  }

  /** The steps that are possible in a state. */
  static Function<World, List<Step<World>>> by(Rules rules) {
    Servers servers = new Servers(rules);
    Executions executions = new Executions(rules);
    return world -> new Binding(rules, servers, executions, world).find();
  }

  private List<Step<World>> find() {
    IntStream.range(0, World.EXECUTIONS).forEach(this::execution);
    for (Request request : world.requests()) {
      delivery(request);
    }
    begin();
    new Environment(rules, executions, world, steps).find();
    return steps.found();
  }

  private void begin() {
    for (int run = 0; run < World.RUNS; run++) {
      for (int process = 0; process < World.PROCESSES; process++) {
        if (world.isOpen(run) && !isAtWork(run, process)) {
          int by = process;
          freeExecution(run)
              .ifPresent(
                  worker ->
                      steps.addAtWork(
                          by,
                          () -> steps.name(worker, by) + " begins",
                          after -> after.begin(worker, by)));
        }
      }
    }
  }

  private boolean isAtWork(int run, int process) {
    return World.executionsOf(run)
        .anyMatch(w -> world.place(w) != Place.NONE && world.process(w) == process);
  }

  /** One whose id nobody can take for another's. */
  private OptionalInt freeExecution(int run) {
    return World.executionsOf(run)
        .filter(w -> world.place(w) == Place.NONE && world.dispatcherOf(run) != w)
        .filter(w -> sent(w).length == 0)
        .findFirst();
  }

  private Request[] sent(int worker) {
    return Arrays.stream(world.requests())
        .filter(request -> request.sender() == worker)
        .toArray(Request[]::new);
  }

  // What an execution does.

  private void execution(int worker) {
    int run = World.runOf(worker);
    switch (world.place(worker)) {
      case LOOK -> look(worker, run);
      case CLAIMED -> {
        if (!world.knows(worker, Fact.HAS_SENT_JOB)) {
          addSending(worker, Kind.STAGE);
        }
        addSending(worker, Kind.BIND);
      }
      case HAS_POD -> hasPod(worker);
      case FOLLOW -> follow(worker, run, world.pod(worker));
      case UNKNOWN_BIND -> unknownBind(worker, run, world.pod(worker));
      case NONE, WAITS -> {}
    }
  }

  private void look(int worker, int run) {
    if (!world.isOpen(run)) {
      steps.add(
          () -> steps.name(worker) + " sees that the run has ended", after -> after.forget(worker));
      return;
    }
    int bound = world.podOf(run);
    if (bound != World.NOBODY) {
      steps.add(
          () -> steps.name(worker) + " takes the run over",
          after -> {
            after.pod(worker, bound);
            after.knows(worker, Fact.VERSION_IS_CURRENT, true);
            if (rules.has(Mistake.START_BEFORE_TAKEOVER)) {
              after.knows(worker, Fact.IS_BOUND, true);
              executions.resume(after, worker, bound);
            } else {
              executions.send(after, worker, Kind.TAKE_OVER);
            }
          });
      return;
    }
    for (int pod = 0; pod < World.PODS; pod++) {
      claim(worker, run, pod);
    }
    steps.add(
        () -> steps.name(worker) + " ends the run before it has a Pod",
        after -> {
          after.knows(worker, Fact.VERSION_IS_CURRENT, true);
          executions.write(after, worker, Kind.FINAL, Outcome.NOT_STARTED);
        });
  }

  private void claim(int worker, int run, int pod) {
    boolean isOwn = pod == World.OWN_POD;
    if (isOwn && run != 0 || world.isHeld(pod, world.process(worker))) {
      return;
    }
    if (isOwn && !world.exists(pod)) {
      // A request names the Pod by its UID, so that none reaches another of the same name.
      if (Arrays.stream(world.requests()).noneMatch(sent -> sent.pod() == pod)) {
        steps.add(() -> steps.name(worker) + " creates its Pod", after -> after.create(pod));
      }
    } else if (world.isAlive(pod) && world.supervisor(pod) == Supervisor.IDLE) {
      steps.add(
          () -> steps.name(worker) + " finds Pod " + pod + " idle",
          after -> {
            after.pod(worker, pod);
            after.knows(worker, Fact.VERSION_IS_CURRENT, true);
            after.place(worker, Place.CLAIMED);
          });
    }
  }

  /** Its Pod did not answer. */
  private void hasPod(int worker) {
    boolean isBinder =
        world.knows(worker, Fact.MADE_THE_BINDING)
            || rules.has(Mistake.UNBINDING_BY_ANY_DISPATCHER);
    if (isBinder && !world.knows(worker, Fact.HAS_SENT_START)) {
      steps.add(
          () -> steps.name(worker) + " leaves a silent Pod",
          after -> executions.send(after, worker, Kind.UNBIND));
    } else {
      steps.add(
          () -> steps.name(worker) + " gives its Pod up for lost",
          after -> executions.lost(after, worker));
    }
    if (world.isAlive(world.pod(worker))) {
      steps.add(
          () -> steps.name(worker) + " asks its Pod again",
          after -> executions.goOn(after, worker));
    }
    if (rules.has(Mistake.NOT_STARTED_AFTER_A_START) && world.knows(worker, Fact.HAS_SENT_START)) {
      steps.add(
          () -> steps.name(worker) + " ends the run as not started",
          after -> executions.write(after, worker, Kind.FINAL, Outcome.NOT_STARTED));
    }
  }

  private void follow(int worker, int run, int pod) {
    if (!world.isAlive(pod)) {
      steps.add(
          () -> steps.name(worker) + " sees its Pod dead", after -> executions.lost(after, worker));
      return;
    }
    if (world.supervisor(pod) == Supervisor.START_FAILED) {
      steps.add(
          () -> steps.name(worker) + " sees a failed start",
          after -> executions.send(after, worker, Kind.UNBIND));
    } else if (world.supervisor(pod) == Supervisor.FINISHED) {
      steps.add(
          () -> steps.name(worker) + " stores the result and ends the run",
          after -> {
            after.store(run);
            executions.write(after, worker, Kind.FINAL, Outcome.DONE);
          });
      if (rules.has(Mistake.ACK_BEFORE_STORE)) {
        addSending(worker, Kind.ACK);
      }
    }
  }

  private void unknownBind(int worker, int run, int pod) {
    if (!world.isOpen(run)) {
      steps.add(
          () -> steps.name(worker) + " sees the end", after -> executions.letGo(after, worker));
    } else if (world.dispatcherOf(run) == worker && world.podOf(run) == pod) {
      steps.add(
          () -> steps.name(worker) + " sees that its bind was written",
          after -> executions.bound(after, worker));
    } else if (!world.knows(worker, Fact.VERSION_IS_CURRENT)) {
      steps.add(
          () -> steps.name(worker) + " sees that its bind can be written no more",
          after -> executions.letGo(after, worker));
    } else {
      addSending(worker, Kind.BIND);
    }
  }

  // Requests.

  private void addSending(int worker, Kind kind) {
    steps.add(
        () -> steps.name(worker) + " sends " + kind, after -> executions.send(after, worker, kind));
  }

  private void delivery(Request request) {
    String what = "%s of %s".formatted(request.kind(), steps.name(request.sender()));
    boolean reaches = request.kind().isWrite() || world.isAlive(request.pod());
    if (reaches) {
      steps.add(
          () -> what + (request.awaited() ? " is answered" : " arrives late"),
          after -> {
            after.remove(request);
            boolean accepted = servers.handle(after, request);
            if (request.awaited()) {
              executions.answered(after, request, accepted);
            }
          });
    } else {
      steps.add(
          () -> what + " finds no Pod",
          after -> {
            after.remove(request);
            if (request.awaited()) {
              executions.unanswered(after, request);
            }
          });
    }
    if (request.awaited()) {
      steps.addLoss(
          () -> what + " is late",
          after -> {
            after.replace(request, request.abandoned());
            executions.unanswered(after, request);
          });
    } else {
      steps.add(() -> what + " is lost", after -> after.remove(request));
    }
  }
}
