package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.frontend.run.Text;
import java.util.List;

/**
 * What the guard found in code. It comes from inside a Pod: {@link #read} has checked its form.
 *
 * @param violations in the order of their lines; the first ones, where there are many
 * @param total how many there are
 * @param alternatives what to write instead
 */
public record GuardReport(List<Violation> violations, long total, List<String> alternatives) {
  private static final int MAX_VIOLATIONS = 100;
  private static final int MAX_ALTERNATIVES = 20;
  private static final int MAX_LINE = 300;

  /**
   * Something that is not allowed.
   *
   * @param pattern what it is, such as {@code import os}
   * @param line in the code, from 1
   * @param severity high or medium
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Violation(String pattern, long line, String severity, String reason) {}

  public GuardReport {
    violations = List.copyOf(violations);
    alternatives = List.copyOf(alternatives);
  }

  /**
   * Reads a report.
   *
   * @throws InvalidValueException where it has another form
   */
  public static GuardReport read(String json) {
    if (Text.bytes(json) > ValueReader.MAX_BYTES) {
      throw new InvalidValueException("it has more than " + ValueReader.MAX_BYTES + " bytes");
    }
    Members report = ValueReader.members(json);
    return new GuardReport(
        report.objects("violations", MAX_VIOLATIONS, GuardReport::violation),
        report.count("total"),
        report.lines("alternatives", MAX_ALTERNATIVES, MAX_LINE));
  }

  private static Violation violation(Members violation) {
    return new Violation(
        Text.oneLine(violation.text("pattern"), MAX_LINE),
        violation.count("line"),
        violation.oneOf("severity", List.of("high", "medium", "low")),
        Text.oneLine(violation.text("reason"), MAX_LINE));
  }
}
