package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.control.ControlSocket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Does once what the worker does, so that the JVM archives the classes that it needs. It ends as a
 * program does that is not halted: the archive is written then.
 */
final class TrainingMain {
  private static final String SUCCEEDING =
      """
      {"type": "job", "kind": "javascript", "language": "typescript", "input": "[1]",
       "tools": {"maxParallel": 8},
       "code": "const n: number = await Promise.resolve(input[0]); console.log(n); \
      return call_tool('store', 'list', {n}).result"}
      """;

  /** An outcome, {@code {"ok":true,"result":[1]}}. */
  private static final String RESULT =
      """
      {"type": "tool_result", "call": 1, "data": "eyJvayI6dHJ1ZSwicmVzdWx0IjpbMV19", "more": false}
      """;

  private static final String FAILING =
      """
      {"type": "job", "kind": "javascript", "language": "javascript", "code": "null.property"}
      """;

  private TrainingMain() {}

  /** Runs the jobs; there are no arguments. */
  public static void main(String[] arguments) throws IOException, JavetException {
    NativeLibraries.loadFrom(new File(System.getProperty("java.library.path")));
    run(SUCCEEDING, 0);
    run(FAILING, 1);
  }

  private static void run(String job, int status) throws IOException, JavetException {
    ScriptRuntime runtime = ScriptRuntime.start();
    OutputStream output = OutputStream.nullOutputStream();
    // The archive would lack classes, and nobody would notice.
    if (JavaScriptMain.run(control(job), runtime, true, output) != status) {
      throw new IllegalStateException("This job of the training did not end as it should: " + job);
    }
    runtime.close();
  }

  /** The launcher's side, which sends one job, and the result of a call. */
  private static ControlSocket control(String job) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (String message : List.of(job, RESULT)) {
      byte[] body = message.getBytes(UTF_8);
      frames.writeBytes(ByteBuffer.allocate(4).putInt(body.length).array());
      frames.writeBytes(body);
    }
    return new ControlSocket(
        new ByteArrayInputStream(frames.toByteArray()), OutputStream.nullOutputStream());
  }
}
