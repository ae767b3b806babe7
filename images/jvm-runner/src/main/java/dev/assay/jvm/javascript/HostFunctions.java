package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.callback.IJavetDirectCallable.DirectCall;
import com.caoccao.javet.interop.callback.IJavetDirectCallable.NoThisAndNoResult;
import com.caoccao.javet.interop.callback.IJavetDirectCallable.NoThisAndResult;
import com.caoccao.javet.interop.callback.JavetCallbackContext;
import com.caoccao.javet.interop.callback.JavetCallbackType;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.primitive.V8ValueString;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueObject;
import dev.assay.jvm.control.ToolRequest;
import dev.assay.jvm.job.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the prelude can have done outside of V8: text goes in and comes out. No exception leaves
 * these functions, since scripts could see its text.
 */
final class HostFunctions {
  private static final byte[] NOTHING = {};

  private final V8Runtime runtime;
  private final List<V8ValueFunction> functions = new ArrayList<>();
  private OutputStream output = OutputStream.nullOutputStream();
  private ToolCaller tools = HostFunctions::callNothing;
  private byte[][] results = {};
  private Optional<End> end = Optional.empty();

  HostFunctions(V8Runtime runtime) {
    this.runtime = runtime;
  }

  /** Carries out the calls of a script. */
  @FunctionalInterface
  interface ToolCaller {
    /**
     * Calls tools.
     *
     * @param maxParallel how many may be called at once; 0 for one that is called alone
     * @return the results as JSON, in the order of the requests
     * @throws IOException if nobody answers any more
     */
    byte[][] call(List<ToolRequest> requests, int maxParallel) throws IOException;
  }

  /**
   * Why the script was ended, at its place.
   *
   * @param stack as V8 writes it
   */
  record End(ErrorCode code, String type, String message, String stack) {}

  void printTo(OutputStream stream) {
    output = stream;
  }

  void callToolsBy(ToolCaller caller) {
    tools = caller;
  }

  /** Why a script was ended; empty if none was. */
  Optional<End> end() {
    return end;
  }

  /** Adds the functions to the object that the prelude gets. */
  void addTo(V8ValueObject host) throws JavetException {
    NoThisAndNoResult<IOException> write = this::write;
    NoThisAndResult<RuntimeException> call = this::call;
    NoThisAndResult<RuntimeException> result = this::result;
    NoThisAndNoResult<RuntimeException> stop = this::stop;
    add(host, "write", JavetCallbackType.DirectCallNoThisAndNoResult, write);
    add(host, "call", JavetCallbackType.DirectCallNoThisAndResult, call);
    add(host, "result", JavetCallbackType.DirectCallNoThisAndResult, result);
    NoThisAndResult<RuntimeException> normalize = this::normalize;
    add(host, "normalize", JavetCallbackType.DirectCallNoThisAndResult, normalize);
    add(host, "stop", JavetCallbackType.DirectCallNoThisAndNoResult, stop);
  }

  private void add(V8ValueObject host, String name, JavetCallbackType type, DirectCall function)
      throws JavetException {
    V8ValueFunction value =
        runtime.createV8ValueFunction(new JavetCallbackContext(name, type, function));
    functions.add(value);
    host.set(name, value);
  }

  /** Frees the functions. */
  void close() throws JavetException {
    for (V8ValueFunction function : functions) {
      function.close();
    }
    functions.clear();
  }

  /** One write for each text, so that nothing is lost when the process is killed. */
  private void write(V8Value... values) throws IOException {
    if (end.isPresent()) {
      runtime.terminateExecution();
    } else if (values.length == 1 && values[0] instanceof V8ValueString text) {
      output.write(text.getValue().getBytes(UTF_8));
    }
  }

  /**
   * Gets how many tools may be called at once, and for each call its server, tool and args.
   *
   * <p>Returns a word where a result ends the script, which is then to {@code stop}. One that has
   * no stack left for that can do nothing more outside of V8, and its value does not count.
   */
  private V8Value call(V8Value... values) throws JavetException {
    if (end.isPresent()) {
      runtime.terminateExecution();
    } else {
      call(List.of(values));
    }
    return runtime.createV8ValueString(end.isPresent() ? "end" : "");
  }

  private void call(List<V8Value> values) {
    try {
      List<ToolRequest> requests = new ArrayList<>();
      for (int at = 1; at + 2 < values.size(); at += 3) {
        requests.add(
            new ToolRequest(
                text(values.get(at)), text(values.get(at + 1)), text(values.get(at + 2))));
      }
      results = tools.call(requests, Integer.parseInt(text(values.getFirst())));
    } catch (IOException | RuntimeException e) {
      String message = "The worker failed: " + e.getMessage();
      end = Optional.of(new End(ErrorCode.RUNTIME_ERROR, "InternalError", message, ""));
      return;
    }
    for (byte[] result : results) {
      if (end.isEmpty()) {
        end =
            Termination.in(result)
                .map(why -> new End(why.code(), "ToolCallError", why.message(), ""));
      }
    }
  }

  /** The result of one of the last calls, by its index; nobody else needs it afterwards. */
  private V8Value result(V8Value... values) throws JavetException {
    int index = Integer.parseInt(text(values[0]));
    String text = new String(results[index], UTF_8);
    results[index] = NOTHING;
    return runtime.createV8ValueString(text);
  }

  /** Gets a text and the Unicode form that it is to have, which V8 has found valid. */
  private V8Value normalize(V8Value... values) throws JavetException {
    Normalizer.Form form = Normalizer.Form.valueOf(text(values[1]));
    return runtime.createV8ValueString(Normalizer.normalize(text(values[0]), form));
  }

  /** Ends the script, which nothing in it can catch: gets the stack. */
  private void stop(V8Value... values) {
    end = end.map(why -> new End(why.code(), why.type(), why.message(), text(values[0])));
    runtime.terminateExecution();
  }

  private static byte[][] callNothing(List<ToolRequest> requests, int maxParallel)
      throws IOException {
    throw new IOException("there is nobody to call tools");
  }

  private static String text(@Nullable V8Value value) {
    return value instanceof V8ValueString text ? text.getValue() : "";
  }
}
