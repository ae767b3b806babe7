package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.local.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What code sees of this machine because Python is there. */
class PythonInterpreterTest {
  @TempDir private Path home;
  private final List<Path> links = new ArrayList<>();

  @AfterEach
  void removeLinks() throws IOException {
    for (Path link : links) {
      Files.delete(link);
    }
  }

  @Test
  void whatLiesBesideAPythonIsNotShown() throws IOException {
    Path python = install(home.resolve(".local"));
    Path secret = Files.writeString(home.resolve(".local/share-of-secrets"), "s3cret");

    PythonInterpreter found = PythonInterpreter.find(python.toString(), home);

    assertThat(found.executable()).isEqualTo(python);
    assertThat(found.readOnlyPaths()).contains(python).noneMatch(secret::startsWith);
  }

  @Test
  void aPythonOfTheHomeDirectoryItselfShowsNoneOfIt() throws IOException {
    Path python = install(home);
    Path key = Files.createDirectories(home.resolve(".ssh")).resolve("id_ed25519");

    assertThat(PythonInterpreter.find(python.toString(), home).readOnlyPaths())
        .noneMatch(key::startsWith);
  }

  @Test
  void suchAPythonWorksInAContainerAllTheSame() throws IOException {
    Path python = install(home);
    Path secret = Files.writeString(home.resolve("secret"), "s3cret");
    Isolation isolation = IsolationDetection.detect("python3");
    try (ContainerRuntime runtime =
        ContainerRuntime.open(isolation, python, Files.createDirectory(home.resolve("r")))) {
      PythonInterpreter found = PythonInterpreter.find(python.toString(), home);
      ContainerProcess process =
          runtime.start(
              new ContainerSpec(
                  List.of(
                      python.toString(),
                      "-I",
                      "-c",
                      "import ctypes, hashlib, json, lzma, os, sqlite3, ssl, sys\n"
                          + "print(os.path.exists(sys.argv[1]))",
                      secret.toString()),
                  Map.of("PATH", "/usr/bin:/bin"),
                  "/",
                  found.readOnlyPaths(),
                  List.of(),
                  false,
                  new ContainerSpec.User(65532, 65532, List.of()),
                  OptionalLong.empty(),
                  home.resolve("own")));
      assertThat(process.awaitStart()).isEmpty();
      assertThat(new String(process.output().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(isolation == Isolation.NONE ? "True\n" : "False\n");
    }
  }

  @Test
  void aPythonThatNeedsTheHomeDirectoryOrWhatHoldsItIsRefused() throws IOException {
    for (Path broad : List.of(home, home.resolveSibling(""), Path.of("/"))) {
      Path program = home.resolve("python");
      Programs.ofScript(program, "#!/bin/sh\nprintf '%s\\n' \"$0\" '" + broad + "'\n");

      assertThatThrownBy(() -> PythonInterpreter.find(program.toString(), home))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("home directory")
          .hasMessageContaining("use another Python");
    }
  }

  /** A Python whose prefix is a directory that has other things, as one built with that prefix. */
  private Path install(Path prefix) throws IOException {
    List<String> own =
        answer(
            "import os, sys\n"
                + "print(os.path.realpath(sys.executable), os.path.dirname(os.__file__), sep='\\n')");
    Path standardLibrary = Path.of(own.get(1));
    Path library = Files.createDirectories(prefix.resolve("lib"));
    links.add(
        Files.createSymbolicLink(library.resolve(standardLibrary.getFileName()), standardLibrary));
    Path program = Files.createDirectories(prefix.resolve("bin")).resolve("python3");
    return Programs.copy(Path.of(own.getFirst()), program);
  }

  private static List<String> answer(String code) throws IOException {
    Process process = new ProcessBuilder("python3", "-I", "-c", code).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }
}
