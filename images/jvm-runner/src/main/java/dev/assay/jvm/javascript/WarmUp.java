package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;

/** Runs scripts before there is a job, since the first ones take the longest. */
final class WarmUp {
  static final String TYPESCRIPT =
      """
      interface Row { id: number; name?: string }
      const rows: Row[] = Array.from({length: 200}, (_, id) => ({id, name: `row ${id}`}));
      const total = await Promise.resolve(rows.reduce((sum: number, row) => sum + row.id, 0));
      console.log({total}, rows.length);
      const found = call_tool('store', 'list', {ids: rows.map(row => row.id)});
      call_tools([{server: 'store', tool: 'get', args: found.result}, {server: 'store', tool: 'all'}]);
      ({total, last: rows.filter(row => row.id > 190).map(row => row.name)})
      """;

  /**
   * TypeScript that swc has to remove or rewrite, as long as that of a real script: the first long
   * one takes longer, since swc has to get memory and to load instructions it has not used before.
   */
  static final String TYPES =
      """
      {
        enum Kind { Small = 1, Large }
        type Pair<T> = { readonly left: T; right?: T | null };
        interface Shape extends Pair<number> { kind: Kind; area(scale: number): number }
        abstract class Base<T extends object> { protected constructor(readonly value: T) {} }
        class Box extends Base<Pair<number>> implements Partial<Shape> {
          private static count: number = 0;
          declare label: string;
          get kind(): Kind { return Box.count++ > 1 ? Kind.Large : Kind.Small; }
        }
        function pick<T, K extends keyof T>(from: T, key: K, ...rest: unknown[]): T[K] {
          for (const [name, entry] of Object.entries(from as object)) {
            if (typeof entry === 'number' && name in rest) { return entry as T[K]; }
          }
          try { return from[key]!; } finally { rest.length = 0; }
        }
        const boxes = [1, 2].map((left: number): Pair<number> => ({ left, right: null }));
        const named = boxes satisfies unknown, text: string = `${pick(boxes[0], 'left')?.toFixed(1)}`;
      }
      """
          .repeat(20);

  private static final String FAILING = "null.property";

  private static final byte[] RESULT =
      "{\"ok\":true,\"result\":{\"rows\":[1,2]},\"raw\":{\"content\":[]}}".getBytes(UTF_8);

  private static final int TIMES = 3;

  private WarmUp() {}

  /** Runs them, and has the runtime forget them. */
  static void run(ScriptRuntime runtime, Swc swc) throws JavetException {
    runtime.callToolsBy(
        (requests, maxParallel) -> requests.stream().map(request -> RESULT).toArray(byte[][]::new));
    for (int time = 0; time < TIMES; time++) {
      run(
          runtime,
          swc,
          new Job("javascript", TYPESCRIPT, "typescript", "{\"a\": [1]}").withTools(8));
      run(runtime, swc, new Job("javascript", FAILING, "javascript", null));
      run(runtime, swc, new Job("javascript", TYPES, "typescript", null));
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
