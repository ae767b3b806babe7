package dev.assay.jvm.javascript;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.control.ControlSocket;
import dev.assay.jvm.control.ProcessStart;
import dev.assay.jvm.control.ToolCalls;
import dev.assay.jvm.engine.Surroundings;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;

/**
 * The program for scripts: gets one job on its control socket, runs it, and sends its result. What
 * scripts print goes to its standard output, and what libraries print to its standard error.
 */
public final class JavaScriptMain {
  private static final long MIB = 1024 * 1024;

  /** What the JVM and the libraries take. */
  private static final long RESERVED_BYTES = 224 * MIB;

  private static final long MIN_HEAP_BYTES = 16 * MIB;

  /** V8 takes 1 MiB of it, and swc as much as the most deeply nested code needs. */
  static final long STACK_BYTES = 512 * MIB;

  private static final int DONE = 0;
  private static final int FAILED = 1;

  private JavaScriptMain() {}

  /** Runs one job; there are no arguments. */
  public static void main(String[] arguments) throws InterruptedException {
    Thread thread = new Thread(null, JavaScriptMain::runAndHalt, "script", STACK_BYTES);
    thread.start();
    thread.join();
  }

  private static void runAndHalt() {
    int status = FAILED;
    try {
      Map<String, String> environment = System.getenv();
      NativeLibraries.loadFrom(new File(System.getProperty("java.library.path")));
      ScriptRuntime.limitHeap(heapBytes(Surroundings.containerBytes(environment)));
      boolean warmUp = "true".equals(environment.get("ASSAY_WARM_UP"));
      OutputStream output = new FileOutputStream(FileDescriptor.out);
      status = run(ControlSocket.inherited(), ScriptRuntime.start(), warmUp, output);
    } catch (IOException | JavetException e) {
      System.err.println("The worker for scripts could not be started: " + e.getMessage());
    } finally {
      // The end of V8 would take time, and nothing of it is needed.
      Runtime.getRuntime().halt(status);
    }
  }

  /** The heap of V8, which ends the process when it is full. */
  static long heapBytes(long containerBytes) {
    return Math.max(containerBytes - RESERVED_BYTES, MIN_HEAP_BYTES);
  }

  static int run(ControlSocket control, ScriptRuntime runtime, boolean warmUp, OutputStream output)
      throws IOException, JavetException {
    Swc swc = new Swc();
    if (warmUp) {
      WarmUp.run(runtime, swc);
    }
    runtime.printTo(output);
    runtime.callToolsBy(new ToolCalls(control));
    control.ready(ProcessStart.millisecondsAgo(), 0);
    Optional<Job> job = control.receiveJob();
    return job.isEmpty() ? DONE : run(control, new JavaScriptJob(runtime, swc), job.get());
  }

  private static int run(ControlSocket control, JavaScriptJob handler, Job job) throws IOException {
    control.started();
    int status = DONE;
    try {
      control.result(null, handler.run(job));
    } catch (JobFailure e) {
      control.result(e, null);
      status = FAILED;
    } catch (RuntimeException | Error e) {
      control.result(
          new JobFailure(
              ErrorCode.RUNTIME_ERROR, "InternalError", "The worker failed: " + e.getMessage()),
          null);
      status = FAILED;
    }
    control.ended(status);
    return status;
  }
}
