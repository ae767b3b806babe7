package dev.assay.jvm.javascript;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;

/** Runs scripts before there is a job, since the first ones take the longest. */
final class WarmUp {
  private static final String TYPESCRIPT =
      """
      interface Row { id: number; name?: string }
      const rows: Row[] = Array.from({length: 200}, (_, id) => ({id, name: `row ${id}`}));
      const total = await Promise.resolve(rows.reduce((sum: number, row) => sum + row.id, 0));
      console.log({total}, rows.length);
      ({total, last: rows.filter(row => row.id > 190).map(row => row.name)})
      """;

  private static final String FAILING = "null.property";

  private static final int TIMES = 3;

  private WarmUp() {}

  /** Runs them, and has the runtime forget them. */
  static void run(ScriptRuntime runtime, Swc swc) throws JavetException {
    for (int time = 0; time < TIMES; time++) {
      run(runtime, swc, new Job("javascript", TYPESCRIPT, "typescript", "{\"a\": [1]}"));
      run(runtime, swc, new Job("javascript", FAILING, "javascript", null));
    }
    runtime.reset();
  }

  private static void run(ScriptRuntime runtime, Swc swc, Job job) {
    try {
      new JavaScriptJob(runtime, swc).run(job);
    } catch (JobFailure e) {
      // A script of a user fails for the same reason, and says so.
    }
  }
}
