package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Scripts print in a run what plain Python prints in the same image. */
class PlainPythonE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SNIPPETS = Path.of("../images/runner/tests/snippets");
  private static final String TRACEBACK = "\nTraceback:\n";
  private static final int AT_ONCE = 10;
  // A reply shows longer output in part.
  private static final int MAX_TEXT = 16 * 1024;

  /** Runs scripts by plain Python, one after the other; prints a line of JSON for each. */
  private static final String RUN_PLAIN =
      """
      import json, os, subprocess, sys
      for number, script in enumerate(json.loads(SCRIPTS)):
          directory = f"/tmp/plain/{number}"
          os.makedirs(directory)
          # The links to the dataset of the run.
          for entry in os.scandir("/workspace"):
              if entry.is_symlink():
                  os.symlink(os.readlink(entry.path), f"{directory}/{entry.name}")
          # The folder for the files that a run leaves, which is there at its start.
          os.mkdir(f"{directory}/artifacts")
          for path, text in (script["files"] | {"main.py": script["code"]}).items():
              os.makedirs(os.path.dirname(f"{directory}/{path}"), exist_ok=True)
              with open(f"{directory}/{path}", "w") as file:
                  file.write(text)
          done = subprocess.run(
              [sys.executable, "-u", "main.py"],
              cwd=directory,
              stdin=subprocess.DEVNULL,
              stdout=subprocess.PIPE,
              stderr=subprocess.STDOUT,
          )
          text = done.stdout.decode("utf-8", "replace").replace(directory, "/workspace")
          print(json.dumps({"text": text[:MAX_TEXT], "exitCode": done.returncode}))
      """;

  /**
   * A script.
   *
   * @param files of its call, by path
   */
  private record Script(String code, Map<String, String> files) {}

  private record Plain(String text, int exitCode) {}

  @Test
  @Everywhere
  void someScriptsPrintWhatPlainPythonPrints(Assay assay) throws IOException {
    Map<String, Script> scripts = scripts();
    scripts
        .keySet()
        .retainAll(
            List.of(
                "ending/del_at_the_end.py",
                "ending/errors_in_threads.py",
                "hostile/changes_directory.py",
                "hostile/given_modules_named_like_libraries.py",
                "notebook/import_a_module_just_written.py",
                "notebook/suggestions_for_names.py",
                "notebook/tempfiles.py"));
    assertThat(scripts).hasSize(7);
    compare(assay, scripts);
  }

  @Test
  @Full
  void allScriptsPrintWhatPlainPythonPrints(Assay assay) throws IOException {
    compare(assay, scripts());
  }

  private static void compare(Assay assay, Map<String, Script> scripts)
      throws JsonProcessingException {
    Samples.sales(assay);
    List<String> names = List.copyOf(scripts.keySet());
    SoftAssertions all = new SoftAssertions();
    for (int from = 0; from < names.size(); from += AT_ONCE) {
      List<String> some = names.subList(from, Math.min(from + AT_ONCE, names.size()));
      List<Plain> plain = runPlain(assay, some.stream().map(scripts::get).toList());
      for (int i = 0; i < some.size(); i++) {
        String name = some.get(i);
        if (isShownAsItIs(plain.get(i).text())) {
          compare(name, run(assay, scripts.get(name)), plain.get(i), all);
        }
      }
    }
    all.assertAll();
  }

  private static Reply run(Assay assay, Script script) {
    return assay.call(
        Assay.TOOL,
        Map.of(
            "dataset_name",
            "sales_data",
            "python_code",
            script.code(),
            "files",
            script.files(),
            "timeout_seconds",
            60));
  }

  private static void compare(String name, Reply reply, Plain plain, SoftAssertions all) {
    String text = normalized(reply.text());
    String expected = normalized(plain.text());
    if (reply.isError()) {
      int traceback = text.indexOf(TRACEBACK);
      int error = text.lastIndexOf("ERROR: ", traceback < 0 ? text.length() : traceback);
      String printed = text.substring(0, Math.max(error, 0));
      if (traceback >= 0) {
        // Python prints it, a run returns it. Where a hook failed, a run does both. The text has
        // less of it.
        String returned = normalized(reply.document().at("/error_details/traceback").asText());
        all.assertThat(returned).as(name).isNotEmpty();
        expected = printed.contains(returned) ? expected : expected.replace(returned, "");
      }
      text = printed;
    }
    all.assertThat(text.replaceAll("\n+", "\n").strip())
        .as(name)
        .isEqualTo(expected.replaceAll("\n+", "\n").strip());
    all.assertThat(reply.isError()).as("%s: %s", name, reply).isEqualTo(plain.exitCode() != 0);
  }

  /**
   * Without what differs from run to run, and without the line about the files that it has left.
   */
  private static String normalized(String text) {
    return text.replace("/workspace/main.py", "main.py")
        .replaceAll("0x[0-9a-f]{6,}", "0x")
        .replaceAll("(?m)^\\[files in assay://runs/.*\\]$", "");
  }

  /** Whether a reply shows a text without replacing or omitting anything. */
  private static boolean isShownAsItIs(String text) {
    return text.length() < MAX_TEXT
        && text.chars().noneMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t');
  }

  private static List<Plain> runPlain(Assay assay, List<Script> scripts)
      throws JsonProcessingException {
    String literal = JSON.writeValueAsString(JSON.writeValueAsString(scripts));
    Reply reply =
        assay.run(
            "sales_data",
            "MAX_TEXT = %d\nSCRIPTS = %s\n".formatted(MAX_TEXT, literal) + RUN_PLAIN,
            300);
    assertThat(reply.isError()).as(reply.text()).isFalse();
    List<Plain> plain = new ArrayList<>();
    for (String line : reply.text().lines().toList()) {
      plain.add(JSON.readValue(line, Plain.class));
    }
    assertThat(plain).hasSameSizeAs(scripts);
    return plain;
  }

  /** All scripts but those that are meant to differ, by name. */
  private static Map<String, Script> scripts() throws IOException {
    Map<String, Script> scripts = new TreeMap<>();
    try (Stream<Path> files = Files.walk(SNIPPETS, 2)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".py")).toList()) {
        String name = SNIPPETS.relativize(file).toString();
        if (!name.startsWith("differs/")) {
          scripts.put(name, new Script(Files.readString(file), filesOf(file)));
        }
      }
    }
    return scripts;
  }

  /** Those in the folder that is named like a script. */
  private static Map<String, String> filesOf(Path script) throws IOException {
    Path folder = Path.of(script.toString().replaceFirst("\\.py$", ""));
    Map<String, String> found = new TreeMap<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".py")).toList()) {
          found.put(folder.relativize(file).toString(), Files.readString(file));
        }
      }
    }
    return found;
  }
}
