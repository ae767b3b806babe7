package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.assay.jvm.javascript.HostFunctions.ToolCaller;
import dev.assay.jvm.job.Job;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  @Test
  void nothingOfItIsLeftForTheScript() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    List<String> values = new ArrayList<>();
    Throwable[] thrown = new Throwable[1];
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                values.add(valueAfterWarmUp(output));
              } catch (Exception e) {
                thrown[0] = e;
              }
            },
            "script",
            JavaScriptMain.STACK_BYTES);
    thread.start();
    thread.join();

    assertThat(thrown[0]).isNull();
    assertThat(values).containsExactly("[[],{}]");
    assertThat(output.toString(UTF_8)).isEqualTo("own\n");
  }

  @Test
  void itsScriptsSucceed() throws Exception {
    assertThatCode(() -> new TestScripts().typeScriptValue(WarmUp.TYPES))
        .doesNotThrowAnyException();
    byte[] outcome = "{\"ok\":true,\"result\":[]}".getBytes(UTF_8);
    assertThat(new TestScripts(constant(outcome), 8).typeScriptValue(WarmUp.TYPESCRIPT))
        .startsWith("{\"total\":19900");
  }

  private static ToolCaller constant(byte[] outcome) {
    return (requests, maxParallel) ->
        requests.stream().map(request -> outcome).toArray(byte[][]::new);
  }

  private static String valueAfterWarmUp(ByteArrayOutputStream output) throws Exception {
    ScriptRuntime runtime = ScriptRuntime.start();
    Swc swc = new Swc();
    WarmUp.run(runtime, swc);
    runtime.printTo(output);
    String code = "console.log('own'); [Object.keys(globalThis), input]";
    String value =
        new JavaScriptJob(runtime, swc).run(new Job("javascript", code, "javascript", null));
    runtime.close();
    return value;
  }
}
