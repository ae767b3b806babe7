package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.javascript.HostFunctions.ToolCaller;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Runs scripts as the worker does, each in a runtime of its own. */
final class TestScripts {
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final @Nullable ToolCaller tools;
  private final int maxParallel;

  /** Scripts that may call no tools. */
  TestScripts() {
    this(null, 0);
  }

  /** Scripts that may call tools, so many at once. */
  TestScripts(@Nullable ToolCaller tools, int maxParallel) {
    this.tools = tools;
    this.maxParallel = maxParallel;
  }

  /** The value of JavaScript. */
  String value(String code) throws JobFailure {
    return run(code, "javascript", null);
  }

  /** The value of TypeScript. */
  String typeScriptValue(String code) throws JobFailure {
    return run(code, "typescript", null);
  }

  /** The failure of JavaScript. */
  JobFailure failure(String code) {
    return failure(code, "javascript");
  }

  /** The failure of TypeScript. */
  JobFailure typeScriptFailure(String code) {
    return failure(code, "typescript");
  }

  private JobFailure failure(String code, String language) {
    try {
      throw new AssertionError("it has the value " + run(code, language, null));
    } catch (JobFailure e) {
      return e;
    }
  }

  /** What scripts have printed. */
  String output() {
    return output.toString(UTF_8);
  }

  /** The value of code, in a thread as the worker's. */
  String run(String code, String language, @Nullable String input) throws JobFailure {
    String[] value = new String[1];
    Throwable[] thrown = new Throwable[1];
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                value[0] =
                    runHere(new Job("javascript", code, language, input).withTools(maxParallel));
              } catch (JobFailure | JavetException | RuntimeException | Error e) {
                thrown[0] = e;
              }
            },
            "script",
            JavaScriptMain.STACK_BYTES);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (thrown[0] instanceof JobFailure failure) {
      throw failure;
    }
    if (thrown[0] != null) {
      throw new IllegalStateException(thrown[0]);
    }
    return value[0];
  }

  private String runHere(Job job) throws JobFailure, JavetException {
    ScriptRuntime runtime = ScriptRuntime.start();
    runtime.printTo(output);
    if (tools != null) {
      runtime.callToolsBy(tools);
    }
    try {
      return new JavaScriptJob(runtime, new Swc()).run(job);
    } finally {
      runtime.close();
    }
  }
}
