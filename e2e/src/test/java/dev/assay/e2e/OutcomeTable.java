package dev.assay.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Writes the outcomes of a class as a table to {@code target}: a row for each parameter, a column
 * for each test. Each test is named by its parameter.
 */
final class OutcomeTable implements TestWatcher, AfterAllCallback {
  private final Map<String, Map<String, String>> rows = new LinkedHashMap<>();
  private final Set<String> tests = new LinkedHashSet<>();

  @Override
  public void testSuccessful(ExtensionContext test) {
    add(test, "passed");
  }

  @Override
  public void testFailed(ExtensionContext test, Throwable cause) {
    add(test, "FAILED");
  }

  private synchronized void add(ExtensionContext test, String outcome) {
    String name = test.getRequiredTestMethod().getName();
    tests.add(name);
    rows.computeIfAbsent(test.getDisplayName(), parameter -> new LinkedHashMap<>())
        .put(name, outcome);
  }

  @Override
  public synchronized void afterAll(ExtensionContext context) {
    StringBuilder table = new StringBuilder("| |");
    tests.forEach(test -> table.append(' ').append(test).append(" |"));
    table.append("\n|---|").append("---|".repeat(tests.size())).append('\n');
    rows.forEach(
        (parameter, outcomes) ->
            table.append(
                tests.stream()
                    .map(test -> outcomes.getOrDefault(test, ""))
                    .collect(Collectors.joining(" | ", "| " + parameter + " | ", " |\n"))));
    try {
      Files.writeString(
          Path.of("target", context.getRequiredTestClass().getSimpleName() + ".md"), table);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
