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
final class Transitions {
  private final Rules rules;
  private final Servers servers;
  private final Executions executions;
  private final World world;
  private final Steps steps;

  private Transitions(Rules rules, Servers servers, Executions executions, World world) {
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
    return world -> new Transitions(rules, servers, executions, world).find();
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
                  actor ->
                      steps.addAtWork(
                          by,
                          () -> steps.name(actor, by) + " begins",
                          after -> after.begin(actor, by)));
        }
      }
    }
  }

  private boolean isAtWork(int run, int process) {
    return world
        .atWork()
        .anyMatch(actor -> World.runOf(actor) == run && world.process(actor) == process);
  }

  /** One whose id nobody can take for another's. */
  private OptionalInt freeExecution(int run) {
    return World.executionsOf(run)
        .filter(w -> world.place(w) == Place.NONE && world.dispatcherOf(run) != w)
        .filter(w -> Arrays.stream(world.requests()).noneMatch(sent -> sent.sender() == w))
        .findFirst();
  }

  // What an execution does.

  private void execution(int actor) {
    int run = World.runOf(actor);
    switch (world.place(actor)) {
      case LOOK -> look(actor, run);
      case CLAIMED -> {
        if (!world.knows(actor, Fact.HAS_SENT_JOB)) {
          addSending(actor, Kind.STAGE);
        }
        addSending(actor, Kind.BIND);
      }
      case SILENT_POD -> silentPod(actor);
      case FOLLOW -> follow(actor, run, world.pod(actor));
      case UNKNOWN_BIND -> unknownBind(actor, run, world.pod(actor));
      case NONE, WAITS -> {}
    }
  }

  private void look(int actor, int run) {
    if (!world.isOpen(run)) {
      steps.add(
          () -> steps.name(actor) + " sees that the run has ended", after -> after.forget(actor));
      return;
    }
    int bound = world.podOf(run);
    if (bound != World.NOBODY) {
      steps.add(
          () -> steps.name(actor) + " takes the run over",
          after -> {
            after.pod(actor, bound);
            after.setFact(actor, Fact.VERSION_IS_CURRENT, true);
            if (rules.has(Mistake.START_BEFORE_TAKEOVER)) {
              after.setFact(actor, Fact.IS_BOUND, true);
              executions.resume(after, actor, bound);
            } else {
              executions.send(after, actor, Kind.TAKE_OVER);
            }
          });
      return;
    }
    for (int pod = 0; pod < World.PODS; pod++) {
      claim(actor, run, pod);
    }
    steps.add(
        () -> steps.name(actor) + " ends the run before it has a Pod",
        after -> {
          after.setFact(actor, Fact.VERSION_IS_CURRENT, true);
          executions.write(after, actor, Kind.FINAL, Outcome.NOT_STARTED);
        });
  }

  private void claim(int actor, int run, int pod) {
    boolean isOwn = pod == World.OWN_POD;
    if (isOwn && run != 0 || world.isHeld(pod, world.process(actor))) {
      return;
    }
    if (isOwn && !world.exists(pod)) {
      // A request names the Pod by its UID, so that none reaches another of the same name.
      if (Arrays.stream(world.requests()).noneMatch(sent -> sent.pod() == pod)) {
        steps.add(() -> steps.name(actor) + " creates its Pod", after -> after.create(pod));
      }
    } else if (world.isAlive(pod) && world.supervisor(pod) == Supervisor.IDLE) {
      steps.add(
          () -> steps.name(actor) + " finds Pod " + pod + " idle",
          after -> {
            after.pod(actor, pod);
            after.setFact(actor, Fact.VERSION_IS_CURRENT, true);
            after.place(actor, Place.CLAIMED);
          });
    }
  }

  /** Its Pod did not answer. */
  private void silentPod(int actor) {
    boolean isBinder =
        world.knows(actor, Fact.MADE_THE_BINDING) || rules.has(Mistake.UNBINDING_BY_ANY_DISPATCHER);
    if (isBinder && !world.knows(actor, Fact.HAS_SENT_START)) {
      steps.add(
          () -> steps.name(actor) + " leaves a silent Pod",
          after -> executions.send(after, actor, Kind.UNBIND));
    } else {
      steps.add(
          () -> steps.name(actor) + " gives its Pod up for lost",
          after -> executions.endAsLost(after, actor));
    }
    if (world.isAlive(world.pod(actor))) {
      steps.add(
          () -> steps.name(actor) + " asks its Pod again", after -> executions.goOn(after, actor));
    }
    if (rules.has(Mistake.NOT_STARTED_AFTER_A_START) && world.knows(actor, Fact.HAS_SENT_START)) {
      steps.add(
          () -> steps.name(actor) + " ends the run as not started",
          after -> executions.write(after, actor, Kind.FINAL, Outcome.NOT_STARTED));
    }
  }

  private void follow(int actor, int run, int pod) {
    if (!world.isAlive(pod)) {
      steps.add(
          () -> steps.name(actor) + " sees its Pod dead",
          after -> executions.endAsLost(after, actor));
      return;
    }
    if (world.supervisor(pod) == Supervisor.START_FAILED) {
      steps.add(
          () -> steps.name(actor) + " sees a failed start",
          after -> executions.send(after, actor, Kind.UNBIND));
    } else if (world.supervisor(pod) == Supervisor.FINISHED) {
      steps.add(
          () -> steps.name(actor) + " stores the result and ends the run",
          after -> {
            after.store(run);
            executions.write(after, actor, Kind.FINAL, Outcome.DONE);
          });
      if (rules.has(Mistake.ACK_BEFORE_STORE)) {
        addSending(actor, Kind.ACK);
      }
    }
  }

  private void unknownBind(int actor, int run, int pod) {
    if (!world.isOpen(run)) {
      steps.add(
          () -> steps.name(actor) + " sees the end", after -> executions.retirePod(after, actor));
    } else if (world.dispatcherOf(run) == actor && world.podOf(run) == pod) {
      steps.add(
          () -> steps.name(actor) + " sees that its bind was written",
          after -> executions.bound(after, actor));
    } else if (!world.knows(actor, Fact.VERSION_IS_CURRENT)) {
      steps.add(
          () -> steps.name(actor) + " sees that its bind can be written no more",
          after -> executions.retirePod(after, actor));
    } else {
      addSending(actor, Kind.BIND);
    }
  }

  // Requests.

  private void addSending(int actor, Kind kind) {
    steps.add(
        () -> steps.name(actor) + " sends " + kind, after -> executions.send(after, actor, kind));
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
