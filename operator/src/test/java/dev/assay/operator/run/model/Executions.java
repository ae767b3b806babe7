package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Request.Kind;
import dev.assay.operator.run.model.Rules.Mistake;
import dev.assay.operator.run.model.World.Fact;
import java.util.stream.IntStream;

/** What an execution does next, by the rules, where it has no choice. */
final class Executions {
  private final Rules rules;

  Executions(Rules rules) {
    this.rules = rules;
  }

  void answered(World after, Request request, boolean accepted) {
    int worker = request.sender();
    switch (request.kind()) {
      case BIND -> {
        if (accepted) {
          bound(after, worker);
        } else if (after.knows(worker, Fact.HAS_SENT_JOB)) {
          letGo(after, worker);
        } else {
          lookAgain(after, worker);
        }
      }
      case TAKE_OVER -> {
        if (accepted) {
          after.knows(worker, Fact.VERSION_IS_CURRENT, true);
          after.knows(worker, Fact.IS_BOUND, true);
          resume(after, worker, request.pod());
        } else {
          lookAgain(after, worker);
        }
      }
      case UNBIND -> {
        if (accepted) {
          after.knows(worker, Fact.IS_BOUND, false);
          letGo(after, worker);
        } else {
          lookAgain(after, worker);
        }
      }
      case FINAL -> {
        if (!accepted || request.pod() == World.NOBODY) {
          lookAgain(after, worker);
        } else if (request.outcome() == Outcome.DONE && after.isAlive(request.pod())) {
          send(after, worker, Kind.ACK);
        } else {
          letGo(after, worker);
        }
      }
      case STAGE -> {
        after.knows(worker, Fact.JOB_IS_STAGED, accepted);
        if (!accepted) {
          left(after, worker);
        } else if (after.knows(worker, Fact.IS_BOUND)) {
          goOn(after, worker);
        } else {
          send(after, worker, Kind.BIND);
        }
      }
      case START -> {
        if (accepted) {
          after.place(worker, Place.FOLLOW);
        } else {
          left(after, worker);
        }
      }
      case REFUSE -> {
        boolean isItsEndedRun =
            worker < World.EXECUTIONS
                && after.runIn(request.pod()) == World.runOf(worker)
                && mayDelete(after, request.pod());
        if (accepted || isItsEndedRun) {
          deleted(after, worker, request.pod());
        } else {
          lookAgain(after, worker);
        }
      }
      case ACK -> letGo(after, worker);
    }
  }

  /** Whether a Pod that has started its run is of no use any more. */
  private boolean mayDelete(World after, int pod) {
    return !after.isOpen(after.runIn(pod)) || after.supervisor(pod) == Supervisor.START_FAILED;
  }

  void bound(World after, int worker) {
    after.knows(worker, Fact.VERSION_IS_CURRENT, true);
    after.knows(worker, Fact.MADE_THE_BINDING, true);
    after.knows(worker, Fact.IS_BOUND, true);
    goOn(after, worker);
  }

  /** The Pod has said that it starts this run no more, or has another: rule 4a. */
  private void left(World after, int worker) {
    if (after.knows(worker, Fact.IS_BOUND)) {
      send(after, worker, Kind.UNBIND);
    } else {
      lookAgain(after, worker);
    }
  }

  /** Who has taken a run over finds out what its Pod has. */
  void resume(World after, int worker, int pod) {
    if (!after.isAlive(pod)) {
      after.place(worker, Place.FOLLOW);
      return;
    }
    Supervisor supervisor = after.supervisor(pod);
    boolean isIts = after.runIn(pod) == World.runOf(worker);
    after.knows(worker, Fact.JOB_IS_STAGED, isIts && supervisor == Supervisor.STAGED);
    if (supervisor == Supervisor.IDLE || isIts && supervisor == Supervisor.STAGED) {
      goOn(after, worker);
    } else if (isIts && isPastItsStart(supervisor)) {
      after.place(worker, Place.FOLLOW);
    } else {
      send(after, worker, Kind.UNBIND);
    }
  }

  /** The sender gives up waiting, and does not know what became of it. */
  void unanswered(World after, Request request) {
    int worker = request.sender();
    switch (request.kind()) {
      case BIND -> after.place(worker, Place.UNKNOWN_BIND);
      // Whoever goes on writes first, so that none of these can take effect after that.
      case TAKE_OVER, FINAL, UNBIND -> lookAgain(after, worker);
      case STAGE -> {
        boolean isBound = after.knows(worker, Fact.IS_BOUND);
        after.place(worker, isBound ? Place.HAS_POD : Place.CLAIMED);
      }
      case START -> after.place(worker, Place.HAS_POD);
      case REFUSE, ACK -> {
        if (after.isAlive(request.pod())) {
          letGo(after, worker);
        } else {
          deleted(after, worker, request.pod());
        }
      }
    }
  }

  /** Stages and starts the job in the Pod that the run is bound to. */
  void goOn(World after, int worker) {
    send(after, worker, after.knows(worker, Fact.JOB_IS_STAGED) ? Kind.START : Kind.STAGE);
  }

  /** The run ends with what is stored. */
  void lost(World after, int worker) {
    boolean isStored = after.isStored(World.runOf(worker));
    write(after, worker, Kind.FINAL, isStored ? Outcome.DONE : Outcome.LOST);
  }

  static boolean isPastItsStart(Supervisor supervisor) {
    return switch (supervisor) {
      case STARTING, RUNNING, FINISHED, START_FAILED -> true;
      case IDLE, STAGED, REFUSED -> false;
    };
  }

  void deleted(World after, int worker, int pod) {
    after.remove(pod);
    lookAgain(after, worker);
  }

  /** It has no Pod any more: it looks what is to be done, unless another process does. */
  private void lookAgain(World after, int worker) {
    int process = after.process(worker);
    after.forget(worker);
    if (worker < World.EXECUTIONS && isAlone(after, process)) {
      after.begin(worker, process);
    }
  }

  void letGo(World after, int worker) {
    if (rules.has(Mistake.DELETION_WITHOUT_REFUSAL)) {
      deleted(after, worker, after.pod(worker));
    } else {
      send(after, worker, Kind.REFUSE);
    }
  }

  void send(World after, int worker, Kind kind) {
    write(after, worker, kind, Outcome.NONE);
  }

  void write(World after, int worker, Kind kind, Outcome outcome) {
    boolean fresh = kind.isWrite() && after.knows(worker, Fact.VERSION_IS_CURRENT);
    after.send(new Request(kind, worker, after.pod(worker), outcome, true, fresh));
    if (kind == Kind.STAGE) {
      after.knows(worker, Fact.HAS_SENT_JOB, true);
    }
    if (kind == Kind.START) {
      after.knows(worker, Fact.HAS_SENT_START, true);
    }
    after.place(worker, Place.WAITS);
  }

  /** Whether the other process does nothing. */
  static boolean isAlone(World world, int process) {
    return IntStream.range(0, World.WORKERS)
        .noneMatch(w -> world.place(w) != Place.NONE && world.process(w) != process);
  }
}
