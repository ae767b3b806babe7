package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.caoccao.javet.exceptions.JavetException;
import dev.assay.jvm.control.ControlSocket;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Does once what the worker does, so that the JVM archives the classes that it needs. It ends as a
 * program does that is not halted: the archive is written then.
 */
final class TrainingMain {
  private static final String SUCCEEDING =
      """
      {"type": "job", "kind": "javascript", "language": "typescript", "input": "[1]",
       "code": "const n: number = await Promise.resolve(input[0]); console.log(n); return n"}
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

  /** The launcher's side, which sends one job. */
  private static ControlSocket control(String job) {
    byte[] body = job.getBytes(UTF_8);
    byte[] frame = ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).array();
    return new ControlSocket(new ByteArrayInputStream(frame), OutputStream.nullOutputStream());
  }
}
