package dev.assay.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The tables of probes in docs/security.md, and the probes that they must list. */
final class SecurityPage {
  private static final Path FILE = Path.of("../docs/security.md");
  private static final Pattern REGISTERED = Pattern.compile("(?m)^@probe\\(\"([^\"]+)\"\\)$");
  private static final Pattern NAME = Pattern.compile("^\\| `([^`]+)` \\|");

  /** The parts of the program that probes the sandbox. */
  private static final List<String> SANDBOX =
      List.of("tools", "identity", "launcher", "files", "kernel", "sockets", "report");

  /** The parts of the program that tries escapes, for Pods only. */
  private static final List<String> ESCAPES = List.of("tools", "escapes", "report");

  private SecurityPage() {}

  /** The program with the probes of the sandbox. */
  static String sandboxProgram() {
    return sandboxProgram("");
  }

  /**
   * The same program for use outside a cluster.
   *
   * @param settings code that changes constants of {@code tools.py}
   */
  static String sandboxProgram(String settings) {
    return program(SANDBOX, settings);
  }

  /** The program that tries escapes from containers. */
  static String escapeProgram() {
    return program(ESCAPES, "");
  }

  private static String program(List<String> parts, String settings) {
    StringBuilder program = new StringBuilder();
    for (String part : parts) {
      program.append(Samples.text("probes/sandbox/" + part + ".py")).append("\n\n");
      if (part.equals("tools")) {
        program.append(settings).append("\n\n");
      }
    }
    return program.toString();
  }

  /** The names of the probes in that program, in order. */
  static List<String> sandboxProbes() {
    return probes(sandboxProgram());
  }

  /** The names of the probes in the program of escapes, in order. */
  static List<String> escapeProbes() {
    return probes(escapeProgram());
  }

  private static List<String> probes(String program) {
    return REGISTERED.matcher(program).results().map(found -> found.group(1)).toList();
  }

  /** The probes of the SQL engine, by name: statements each of which has to be refused. */
  static Map<String, List<String>> queryProbes() {
    Map<String, List<String>> probes = new LinkedHashMap<>();
    for (String part : Samples.text("probes/queries.sql").split("(?m)^-- ")) {
      List<String> lines = part.lines().filter(line -> !line.isBlank()).toList();
      if (!lines.isEmpty()) {
        probes.put(lines.getFirst(), lines.subList(1, lines.size()));
      }
    }
    return probes;
  }

  /** The probes of V8, by name: scripts whose values name what was possible. */
  static Map<String, String> scriptProbes() {
    Map<String, String> probes = new LinkedHashMap<>();
    String[] parts = Samples.text("probes/scripts.js").split("(?m)^// probe ");
    for (int i = 1; i < parts.length; i++) {
      int end = parts[i].indexOf('\n');
      probes.put(parts[i].substring(0, end), parts[0] + parts[i].substring(end + 1));
    }
    return probes;
  }

  /** The rows of probes below a heading of the page. */
  static List<String> rows(String heading) {
    try (Stream<String> lines = Files.lines(FILE)) {
      return lines
          .dropWhile(line -> !line.equals("### " + heading))
          .skip(1)
          .takeWhile(line -> !line.startsWith("#"))
          .filter(line -> NAME.matcher(line).find())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The probe that a row is about. */
  static String name(String row) {
    return NAME.matcher(row).results().map(found -> found.group(1)).findFirst().orElseThrow();
  }
}
