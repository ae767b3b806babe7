package dev.assay.jvm.javascript;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobHandler;

/** Runs a script and returns its value. */
final class JavaScriptJob implements JobHandler {
  private static final String NO_INPUT = "{}";

  private final ScriptRuntime runtime;
  private final ScriptCompiler compiler;

  JavaScriptJob(ScriptRuntime runtime, Swc swc) {
    this.runtime = runtime;
    this.compiler = new ScriptCompiler(runtime, swc);
  }

  @Override
  public String run(Job job) throws JobFailure {
    try {
      Program program = compiler.compile(job.code(), ScriptLanguage.of(job.language()));
      runtime.provide(job.input() == null ? NO_INPUT : job.input(), job.maxParallel());
      return ScriptOutcome.value(runtime.run(program), program.source().positions());
    } catch (JavetException e) {
      throw new JobFailure(
          ErrorCode.RUNTIME_ERROR, "InternalError", "The worker failed: " + e.getMessage());
    }
  }
}
