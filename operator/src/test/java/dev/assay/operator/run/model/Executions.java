package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Request.Kind;
import dev.assay.operator.run.model.Rules.Mistake;
import dev.assay.operator.run.model.World.Fact;

/** What an execution does next, by the rules, where it has no choice. */
final class Executions {
  private final Rules rules;

  Executions(Rules rules) {
    this.rules = rules;
  }

  void answered(World after, Request request, boolean accepted) {
    int actor = request.sender();
    switch (request.kind()) {
      case BIND -> {
        if (accepted) {
          bound(after, actor);
        } else if (after.knows(actor, Fact.HAS_SENT_JOB)) {
          retirePod(after, actor);
        } else {
          lookAgain(after, actor);
        }
      }
      case TAKE_OVER -> {
        if (accepted) {
          after.setFact(actor, Fact.VERSION_IS_CURRENT, true);
          after.setFact(actor, Fact.IS_BOUND, true);
          resume(after, actor, request.pod());
        } else {
          lookAgain(after, actor);
        }
      }
      case UNBIND -> {
        if (accepted) {
          after.setFact(actor, Fact.IS_BOUND, false);
          retirePod(after, actor);
        } else {
          lookAgain(after, actor);
        }
      }
      case FINAL -> {
        if (!accepted || request.pod() == World.NOBODY) {
          lookAgain(after, actor);
        } else if (request.outcome() == Outcome.DONE && after.isAlive(request.pod())) {
          send(after, actor, Kind.ACK);
        } else {
          retirePod(after, actor);
        }
      }
      case STAGE -> {
        after.setFact(actor, Fact.JOB_IS_STAGED, accepted);
        if (!accepted) {
          leavePod(after, actor);
        } else if (after.knows(actor, Fact.IS_BOUND)) {
          goOn(after, actor);
        } else {
          send(after, actor, Kind.BIND);
        }
      }
      case START -> {
        if (accepted) {
          after.place(actor, Place.FOLLOW);
        } else {
          leavePod(after, actor);
        }
      }
      case RETIRE -> {
        boolean isItsEndedRun =
            actor < World.EXECUTIONS
                && after.runIn(request.pod()) == World.runOf(actor)
                && mayDelete(after, request.pod());
        if (accepted || isItsEndedRun) {
          deletePod(after, actor, request.pod());
        } else {
          lookAgain(after, actor);
        }
      }
      case ACK -> retirePod(after, actor);
    }
  }

  /** Whether a Pod that has started its run is of no use any more. */
  private boolean mayDelete(World after, int pod) {
    return !after.isOpen(after.runIn(pod)) || after.supervisor(pod) == Supervisor.START_FAILED;
  }

  void bound(World after, int actor) {
    after.setFact(actor, Fact.VERSION_IS_CURRENT, true);
    after.setFact(actor, Fact.MADE_THE_BINDING, true);
    after.setFact(actor, Fact.IS_BOUND, true);
    goOn(after, actor);
  }

  /** The Pod will not start this run: gives the run back, if it is bound. */
  private void leavePod(World after, int actor) {
    if (after.knows(actor, Fact.IS_BOUND)) {
      send(after, actor, Kind.UNBIND);
    } else {
      lookAgain(after, actor);
    }
  }

  /** Who has taken a run over finds out what its Pod has. */
  void resume(World after, int actor, int pod) {
    if (!after.isAlive(pod)) {
      after.place(actor, Place.FOLLOW);
      return;
    }
    Supervisor supervisor = after.supervisor(pod);
    boolean isIts = after.runIn(pod) == World.runOf(actor);
    after.setFact(actor, Fact.JOB_IS_STAGED, isIts && supervisor == Supervisor.STAGED);
    if (supervisor == Supervisor.IDLE || isIts && supervisor == Supervisor.STAGED) {
      goOn(after, actor);
    } else if (isIts && supervisor.isPastItsStart()) {
      after.place(actor, Place.FOLLOW);
    } else {
      send(after, actor, Kind.UNBIND);
    }
  }

  /** The sender gives up waiting, and does not know what became of it. */
  void unanswered(World after, Request request) {
    int actor = request.sender();
    switch (request.kind()) {
      case BIND -> after.place(actor, Place.UNKNOWN_BIND);
      // Whoever goes on writes first, so that none of these can take effect after that.
      case TAKE_OVER, FINAL, UNBIND -> lookAgain(after, actor);
      case STAGE -> {
        boolean isBound = after.knows(actor, Fact.IS_BOUND);
        after.place(actor, isBound ? Place.SILENT_POD : Place.CLAIMED);
      }
      case START -> after.place(actor, Place.SILENT_POD);
      case RETIRE, ACK -> {
        if (after.isAlive(request.pod())) {
          retirePod(after, actor);
        } else {
          deletePod(after, actor, request.pod());
        }
      }
    }
  }

  /** Stages and starts the job in the Pod that the run is bound to. */
  void goOn(World after, int actor) {
    send(after, actor, after.knows(actor, Fact.JOB_IS_STAGED) ? Kind.START : Kind.STAGE);
  }

  /** The run ends with what is stored. */
  void endAsLost(World after, int actor) {
    boolean isStored = after.isStored(World.runOf(actor));
    write(after, actor, Kind.FINAL, isStored ? Outcome.DONE : Outcome.LOST);
  }

  void deletePod(World after, int actor, int pod) {
    after.remove(pod);
    lookAgain(after, actor);
  }

  /** It has no Pod any more: it looks what is to be done, unless another process does. */
  private void lookAgain(World after, int actor) {
    int process = after.process(actor);
    after.forget(actor);
    if (actor < World.EXECUTIONS && after.isAlone(process)) {
      after.begin(actor, process);
    }
  }

  void retirePod(World after, int actor) {
    if (rules.has(Mistake.DELETION_WITHOUT_REFUSAL)) {
      deletePod(after, actor, after.pod(actor));
    } else {
      send(after, actor, Kind.RETIRE);
    }
  }

  void send(World after, int actor, Kind kind) {
    write(after, actor, kind, Outcome.NONE);
  }

  void write(World after, int actor, Kind kind, Outcome outcome) {
    boolean fresh = kind.isWrite() && after.knows(actor, Fact.VERSION_IS_CURRENT);
    after.send(new Request(kind, actor, after.pod(actor), outcome, true, fresh));
    if (kind == Kind.STAGE) {
      after.setFact(actor, Fact.HAS_SENT_JOB, true);
    }
    if (kind == Kind.START) {
      after.setFact(actor, Fact.HAS_SENT_START, true);
    }
    after.place(actor, Place.WAITS);
  }
}
