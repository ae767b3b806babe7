package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Request.Kind;
import dev.assay.operator.run.model.Rules.Mistake;
import dev.assay.operator.run.model.World.Breach;

/** The API server and the supervisors, which handle requests. */
final class Servers {
  private final Rules rules;
  private final SupervisorAnswers answers = SupervisorAnswers.read();

  Servers(Rules rules) {
    this.rules = rules;
  }

  /** What the API server or the Pod does; whether it accepts. */
  boolean handle(World after, Request request) {
    return switch (request.kind()) {
      case BIND, TAKE_OVER, UNBIND, FINAL -> handleWrite(after, request);
      case STAGE -> handleStage(after, request);
      case START -> handleStart(after, request);
      case RETIRE -> handleRetire(after, request);
      case ACK -> handleAck(after, request);
    };
  }

  private boolean handleWrite(World after, Request request) {
    int run = World.runOf(request.sender());
    boolean isCurrent =
        request.fresh()
            || request.kind() == Kind.UNBIND && rules.has(Mistake.UNBINDING_ON_ANY_VERSION);
    if (after.isGone(run) || !isCurrent) {
      return false;
    }
    if (!after.isOpen(run)) {
      after.breach(Breach.WRITTEN_AFTER_ITS_END);
    }
    after.expireVersions(run);
    switch (request.kind()) {
      case BIND, TAKE_OVER -> after.bind(run, request.pod(), request.sender());
      case UNBIND -> after.bind(run, World.NOBODY, World.NOBODY);
      default -> after.end(run, request.outcome());
    }
    return true;
  }

  private boolean handleStage(World after, Request request) {
    forgetRefusal(after, request);
    String answer = answers.answer(after, request);
    boolean hasItsJob =
        answer.equals(SupervisorAnswers.BYTES_CHANGED)
            && !rules.has(Mistake.BYTES_CHANGED_IS_A_REFUSAL);
    if (!hasItsJob && !answer.equals(SupervisorAnswers.ACCEPTED)) {
      return false;
    }
    if (after.supervisor(request.pod()) == Supervisor.IDLE) {
      after.supervisor(request.pod(), Supervisor.STAGED);
      after.setRunIn(request.pod(), World.runOf(request.sender()));
    }
    return true;
  }

  private boolean handleStart(World after, Request request) {
    forgetRefusal(after, request);
    if (!accepts(after, request)) {
      return false;
    }
    if (after.supervisor(request.pod()) == Supervisor.STAGED) {
      after.supervisor(request.pod(), Supervisor.STARTING);
    }
    return true;
  }

  private void forgetRefusal(World after, Request request) {
    int pod = request.pod();
    if (rules.has(Mistake.REFUSAL_IS_FORGOTTEN) && after.supervisor(pod) == Supervisor.REFUSED) {
      boolean hasJob = after.runIn(pod) != World.NOBODY;
      after.supervisor(pod, hasJob ? Supervisor.STAGED : Supervisor.IDLE);
    }
  }

  /** Whether the Pod starts nothing any more. */
  private boolean handleRetire(World after, Request request) {
    boolean startsNothing = accepts(after, request);
    if (startsNothing) {
      after.supervisor(request.pod(), Supervisor.REFUSED);
    }
    return startsNothing;
  }

  private boolean accepts(World after, Request request) {
    return answers.answer(after, request).equals(SupervisorAnswers.ACCEPTED);
  }

  private boolean handleAck(World after, Request request) {
    if (!accepts(after, request)) {
      return false;
    }
    if (!after.isStored(World.runOf(request.sender()))) {
      after.breach(Breach.ACKNOWLEDGED_BEFORE_IT_WAS_STORED);
    }
    after.kill(request.pod());
    return true;
  }
}
