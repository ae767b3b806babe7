package dev.assay.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Programs that a test makes and starts. Another process writes them: a file that this one has
 * written cannot be executed ("Text file busy") while a child has it open that another thread has
 * just forked.
 */
public final class Programs {
  private Programs() {}

  /** Makes a program of a script; returns its path. */
  public static Path ofScript(Path program, String script) throws IOException {
    Path source = Files.writeString(program.resolveSibling(program.getFileName() + ".sh"), script);
    return copy(source, program);
  }

  /** Copies a program; returns the path of the copy. */
  public static Path copy(Path from, Path to) throws IOException {
    Process install =
        new ProcessBuilder("install", "-m", "755", from.toString(), to.toString())
            .inheritIO()
            .start();
    assertThat(install.onExit().join().exitValue()).isZero();
    return to;
  }
}
