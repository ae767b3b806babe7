package dev.assay.jvm;

import dev.assay.jvm.control.ControlSocket;
import dev.assay.jvm.control.ProcessStart;
import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.EngineError;
import dev.assay.jvm.engine.EngineFailures;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.engine.Surroundings;
import dev.assay.jvm.export.ExportQuery;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobHandler;
import dev.assay.jvm.profile.ProfileQuery;
import dev.assay.jvm.sample.SampleQuery;
import dev.assay.jvm.sql.SqlQuery;
import dev.assay.jvm.sql.WarmUp;
import dev.assay.jvm.workspace.JobWorkspace;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The program: gets one job on its control socket, runs it, and sends its result. */
final class WorkerMain {
  static final int DONE = 0;
  private static final int FAILED = 1;

  private WorkerMain() {}

  /** Runs one job; there are no arguments. */
  public static void main(String[] arguments) {
    int status;
    try {
      boolean warmUp = "true".equals(System.getenv("ASSAY_WARM_UP"));
      status = run(ControlSocket.inherited(), Surroundings.of(System.getenv()), warmUp);
    } catch (IOException | SQLException e) {
      System.err.println("The SQL worker could not be started: " + e.getMessage());
      status = FAILED;
    }
    // The end of the engine would take time, and nothing of it is needed.
    Runtime.getRuntime().halt(status);
  }

  private static int run(ControlSocket control, Surroundings surroundings, boolean warmUp)
      throws IOException, SQLException {
    if (warmUp) {
      Rehearsal.run(surroundings);
    }
    Engine engine = Engine.start(surroundings);
    if (warmUp) {
      WarmUp.run(engine.openUnrestricted());
      // Otherwise the collection and the finalizers of the driver come during the job.
      System.gc();
    }
    return runOneJob(control, engine);
  }

  static int runOneJob(ControlSocket control, Engine engine) throws IOException, SQLException {
    control.ready(ProcessStart.millisecondsAgo(), 0);
    Optional<Job> job = control.receiveJob();
    return job.isEmpty() ? DONE : run(control, engine, job.get());
  }

  private static int run(ControlSocket control, Engine engine, Job job)
      throws IOException, SQLException {
    Session session = engine.open(job.datasets(), job.reply().timeZone());
    JobHandler handler = handler(job, session);
    Thread stop =
        Thread.ofPlatform().daemon().name("stop").start(() -> stopOnRequest(control, session));
    control.started();
    String value = null;
    JobFailure failure = null;
    try {
      new JobWorkspace(session).prepare(job.files());
      value = handler.run(job);
    } catch (JobFailure e) {
      failure = e;
    } catch (SQLException e) {
      failure = EngineFailures.of(EngineError.of(e), null);
    } catch (OutOfMemoryError e) {
      failure = EngineFailures.outOfMemory();
    } catch (RuntimeException e) {
      failure =
          new JobFailure(
              ErrorCode.ENGINE_ERROR, "InternalError", "The worker failed: " + e.getMessage());
    }
    int status = end(control, session, value, failure);
    stop.interrupt();
    return status;
  }

  private static int end(
      ControlSocket control, Session session, @Nullable String value, @Nullable JobFailure failure)
      throws IOException {
    session.cancellation().end();
    control.result(failure, failure == null ? value : failure.valueJson());
    if (session.cancellation().isRequested()) {
      control.stopped();
    }
    int status = failure == null ? DONE : FAILED;
    control.ended(status);
    return status;
  }

  private static JobHandler handler(Job job, Session session) throws IOException {
    return switch (job.kind()) {
      case "", "sql" -> new SqlQuery(session);
      case "builtin" -> builtin(job.name(), session);
      default -> throw new IOException("it does not run jobs of the kind " + job.kind());
    };
  }

  private static JobHandler builtin(String name, Session session) throws IOException {
    return switch (name) {
      case "profile" -> new ProfileQuery(session);
      case "sample" -> new SampleQuery(session);
      case "export" -> new ExportQuery(session);
      default -> throw new IOException("it has no builtin query " + name);
    };
  }

  private static void stopOnRequest(ControlSocket control, Session session) {
    try {
      if (control.awaitStop()) {
        session.cancellation().request();
      }
    } catch (IOException e) {
      // The launcher ends this process anyway.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
