package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.caoccao.javet.enums.JavetPromiseRejectEvent;
import com.caoccao.javet.exceptions.JavetCompilationException;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.exceptions.JavetScriptingError;
import com.caoccao.javet.exceptions.JavetTerminatedException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.executors.IV8Executor;
import com.caoccao.javet.interop.options.V8RuntimeOptions;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueObject;
import com.caoccao.javet.values.reference.V8ValuePromise;
import dev.assay.jvm.control.ToolCalls;
import dev.assay.jvm.javascript.HostFunctions.ToolCaller;
import dev.assay.jvm.javascript.Program.Form;
import dev.assay.jvm.javascript.ScriptCompiler.SyntaxCheck;
import dev.assay.jvm.javascript.ScriptCompiler.SyntaxError;
import dev.assay.jvm.job.JobFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.Optional;

/**
 * A runtime of V8 with the prelude, for one script. It belongs to the thread that has made it: V8
 * measures its stack from there.
 */
final class ScriptRuntime implements SyntaxCheck {
  /** The value of a script, as the supervisor takes it. */
  static final int MAX_VALUE_BYTES = 256 * 1024;

  private static final int MAX_VALUE_DEPTH = 64;

  private static final String PRELUDE = "prelude.js";

  /** A name for what is evaluated. The last such comment counts. */
  private static final String NAMED = "\n//# sourceURL=" + ScriptStack.SCRIPT;

  private final V8Runtime runtime;
  private final HostFunctions host;
  private V8ValueObject prelude;

  private ScriptRuntime(V8Runtime runtime) throws JavetException {
    this.runtime = runtime;
    runtime.setLogger(new SilentLogger());
    this.host = new HostFunctions(runtime);
    this.prelude = prelude();
    runtime.setPromiseRejectCallback(this::promiseRejected);
  }

  /** Has the prelude remember the promises that are rejected and that nothing handles. */
  private void promiseRejected(
      JavetPromiseRejectEvent event, V8ValuePromise promise, V8Value error) {
    try {
      if (event == JavetPromiseRejectEvent.PromiseRejectWithNoHandler) {
        prelude.invokeVoid("rejected", promise, error);
      } else if (event == JavetPromiseRejectEvent.PromiseHandlerAddedAfterReject) {
        prelude.invokeVoid("handled", promise);
      }
    } catch (JavetException e) {
      // The script is being ended, or has no stack left: it fails by itself.
    }
  }

  /** Sets the size of the heap of this process, beyond which V8 ends it; before the first start. */
  static void limitHeap(long bytes) {
    V8RuntimeOptions.V8_FLAGS.setMaxHeapSize((int) (bytes >> 20));
  }

  /** Starts V8. What scripts print is discarded at first. */
  static ScriptRuntime start() throws JavetException {
    V8RuntimeOptions.V8_FLAGS.setUseStrict(false);
    return new ScriptRuntime(V8Host.getV8Instance().createV8Runtime());
  }

  /** Has scripts print to a stream. */
  void printTo(OutputStream stream) {
    host.printTo(stream);
  }

  /** Has scripts call tools by way of the supervisor. */
  void callToolsBy(ToolCalls calls) {
    callToolsBy(
        (requests, maxParallel) ->
            maxParallel == 0
                ? new byte[][] {calls.call(requests.getFirst())}
                : calls.call(requests, maxParallel));
  }

  /** Has scripts call tools. */
  void callToolsBy(ToolCaller caller) {
    host.callToolsBy(caller);
  }

  /** Forgets all that scripts have done. */
  void reset() throws JavetException {
    prelude.close();
    host.close();
    runtime.resetContext();
    prelude = prelude();
  }

  /** Ends V8. */
  void close() throws JavetException {
    prelude.close();
    host.close();
    runtime.close();
  }

  /**
   * Makes the variable {@code input} of JSON.
   *
   * @param maxParallel how many tools may be called at once; 0 if none may be called
   */
  void provide(String json, int maxParallel) throws JavetException {
    prelude.invokeVoid("provide", json, maxParallel);
  }

  /** The first error that V8 finds in a program. */
  @Override
  public Optional<SyntaxError> errorIn(Program program) {
    IV8Executor executor = executor(program.source().text());
    try {
      if (program.form() == Form.BODY) {
        executor.compileV8ValueFunction().close();
      } else {
        executor.compileV8Script().close();
      }
      return Optional.empty();
    } catch (JavetCompilationException e) {
      JavetScriptingError error = e.getScriptingError();
      return Optional.of(
          new SyntaxError(
              String.valueOf(error.getMessage()),
              new Position(Math.max(error.getLineNumber(), 1), error.getStartColumn() + 1)));
    } catch (JavetException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Runs a program to its end, and all that its promises cause.
   *
   * @return what became of it, as {@link ScriptOutcome} reads it
   * @throws JobFailure if it was ended for the result of a tool call
   */
  String run(Program program) throws JavetException, JobFailure {
    try {
      begin(program);
    } catch (JavetTerminatedException e) {
      if (host.end().isEmpty()) {
        throw e;
      }
    }
    // One that was ended by what a promise has caused is no exception here.
    if (host.end().isPresent()) {
      throw ScriptOutcome.ended(host.end().get(), program.source().positions());
    }
    return prelude.invokeString("outcome");
  }

  private void begin(Program program) throws JavetException {
    String text = program.source().text();
    switch (program.form()) {
      case SCRIPT -> prelude.invokeVoid("runScript", text + NAMED);
      case BODY -> {
        try (V8ValueFunction function = executor(text).compileV8ValueFunction()) {
          prelude.invokeVoid("runFunction", function);
        }
      }
      case FUNCTION -> {
        try (V8ValueFunction function = executor(text).execute()) {
          prelude.invokeVoid("runFunction", function);
        }
      }
    }
  }

  private IV8Executor executor(String text) {
    IV8Executor executor = runtime.getExecutor(text);
    executor.getV8ScriptOrigin().setResourceName(ScriptStack.SCRIPT);
    return executor;
  }

  private V8ValueObject prelude() throws JavetException {
    IV8Executor executor = runtime.getExecutor(text());
    executor.getV8ScriptOrigin().setResourceName(ScriptStack.PRELUDE);
    try (V8ValueFunction start = executor.execute();
        V8ValueObject functions = runtime.createV8ValueObject();
        V8ValueObject limits = runtime.createV8ValueObject()) {
      host.addTo(functions);
      limits.set("bytes", MAX_VALUE_BYTES);
      limits.set("depth", MAX_VALUE_DEPTH);
      return start.call(null, functions, limits);
    }
  }

  private static String text() {
    try (InputStream stream = ScriptRuntime.class.getResourceAsStream(PRELUDE)) {
      return new String(Objects.requireNonNull(stream).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
