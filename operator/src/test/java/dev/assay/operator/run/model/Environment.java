package dev.assay.operator.run.model;

import java.util.stream.IntStream;

/**
 * What happens beside executions: to code, to Pods that nobody needs, to processes, and by users.
 */
final class Environment {
  private final Rules rules;
  private final Executions executions;
  private final World world;
  private final Steps steps;

  Environment(Rules rules, Executions executions, World world, Steps steps) {
    this.rules = rules;
    this.executions = executions;
    this.world = world;
    this.steps = steps;
  }

  void find() {
    IntStream.range(World.EXECUTIONS, World.ACTORS).forEach(this::careForPods);
    pods();
    faults();
  }

  private void careForPods(int actor) {
    int process = world.process(actor);
    if (world.place(actor) == Place.NONE) {
      for (int pod = 0; pod < World.PODS; pod++) {
        if (world.exists(pod) && !world.isHeld(pod, process)) {
          careFor(actor, process, pod);
        }
      }
    }
  }

  private void careFor(int actor, int process, int pod) {
    String who = "process %d".formatted(process);
    if (!world.isAlive(pod)) {
      if (!isBoundTo(pod)) {
        steps.addAtWork(
            process, () -> who + " deletes dead Pod " + pod, after -> after.remove(pod));
      }
    } else if (world.supervisor(pod).isPastItsStart()) {
      if (!world.isOpen(world.runIn(pod))) {
        steps.addAtWork(
            process, () -> who + " deletes the Pod of an ended run", after -> after.remove(pod));
      }
    } else if (world.supervisor(pod) == Supervisor.IDLE && pod != World.OWN_POD) {
      steps.addFault(
          () -> who + " no longer wants idle Pod " + pod,
          after -> {
            after.pod(actor, pod);
            executions.retirePod(after, actor);
          });
    } else if (!isBoundTo(pod)) {
      steps.addAtWork(
          process,
          () -> who + " lets Pod " + pod + " go, to which no run is bound",
          after -> {
            after.pod(actor, pod);
            executions.retirePod(after, actor);
          });
    }
  }

  private boolean isBoundTo(int pod) {
    return IntStream.range(0, World.RUNS)
        .anyMatch(run -> world.isOpen(run) && world.podOf(run) == pod);
  }

  private void pods() {
    for (int at = 0; at < World.PODS; at++) {
      int pod = at;
      if (!world.isAlive(pod)) {
        continue;
      }
      int run = world.runIn(pod);
      switch (world.supervisor(pod)) {
        case STARTING -> {
          steps.add(
              () -> "the code of run %d begins in Pod %d".formatted(run, pod),
              after -> {
                after.supervisor(pod, Supervisor.RUNNING);
                after.starts(run, after.starts(run) + 1);
              });
          steps.addLoss(
              () -> "the worker of Pod %d fails to start".formatted(pod),
              after -> after.supervisor(pod, Supervisor.START_FAILED));
        }
        case RUNNING ->
            steps.add(
                () -> "the code of run %d ends".formatted(run),
                after -> after.supervisor(pod, Supervisor.FINISHED));
        default -> {}
      }
      steps.addLoss(() -> "Pod %d is killed".formatted(pod), after -> after.kill(pod));
    }
  }

  private void faults() {
    for (int at = 0; at < World.PROCESSES; at++) {
      int process = at;
      if (world.atWork().anyMatch(actor -> world.process(actor) == process)) {
        steps.addLoss(
            () -> "process %d is restarted".formatted(process), after -> restart(after, process));
      }
    }
    for (int at = 0; at < World.RUNS; at++) {
      int run = at;
      if (!world.isGone(run)) {
        steps.addFault(
            () -> "the user deletes run %d".formatted(run),
            after -> {
              after.expireVersions(run);
              after.delete(run);
            });
      }
    }
  }

  private void restart(World after, int process) {
    for (int actor : after.atWork().filter(at -> after.process(at) == process).toArray()) {
      for (Request request : after.requests()) {
        if (request.sender() == actor && request.awaited()) {
          after.replace(request, request.abandoned());
        }
      }
      after.forget(actor);
    }
  }
}
