package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntakeTest {
  @Test
  void anIntakeHasAllOfItsKeys() throws Intake.InvalidIntakeException {
    assertThat(
            Intake.parse(
                """
                agent: analyst
                task: Summarise the sales
                mode: code
                code: |
                  print(1)
                datasets: [sales, budget]
                files:
                  lib/a.py: "x = 1"
                timeout_seconds: 60
                run_class: code
                """))
        .isEqualTo(
            new Intake(
                "analyst",
                "Summarise the sales",
                "code",
                "print(1)\n",
                null,
                List.of("sales", "budget"),
                Map.of("lib/a.py", "x = 1"),
                60,
                "code"));
  }

  @Test
  void whatIsLeftOutIsAbsent() throws Intake.InvalidIntakeException {
    assertThat(Intake.parse("code_file: a.py"))
        .isEqualTo(new Intake(null, null, null, null, "a.py", List.of(), Map.of(), null, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|needs either 'code' or 'code_file'",
        "{code: a, code_file: b}|needs either 'code' or 'code_file'",
        "{code: a, colour: red}|has an unknown key 'colour'; the keys are agent, task, mode, code,",
        "{code: a, 7: red}|has an unknown key '7'",
        "{code: a, mode: fast}|'mode' must be standard or code, not 'fast'",
        "{code: 7}|'code' must be a text",
        "{code: a, datasets: sales}|'datasets' must be a list of texts",
        "{code: a, datasets: [1]}|'datasets' must be a list of texts",
        "{code: a, files: [x]}|'files' must be a mapping of paths to texts",
        "{code: a, files: {b: 1}}|'files' must be a mapping of paths to texts",
        "{code: a, timeout_seconds: soon}|'timeout_seconds' must be a whole number",
        "[code]|must be a mapping",
        "text|must be a mapping",
        "{code: a, code: b}|is not plain YAML: ",
        "{code: !!python/object:os.system a}|is not plain YAML: ",
        "{code: !include /etc/passwd}|is not plain YAML: ",
        "{code: 'a|is not plain YAML: ",
      })
  void aWrongIntakeIsRefusedWithItsReason(String yaml, String message) {
    assertThatThrownBy(() -> Intake.parse(yaml))
        .isInstanceOf(Intake.InvalidIntakeException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aliasesThatGrowAreRefused() {
    StringBuilder bomb = new StringBuilder("code: a\nfiles: &a0 {x: y}\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("agent").append(i).append(": &a").append(i).append(" [*a0, *a0, *a0]\n");
    }

    assertThatThrownBy(() -> Intake.parse(bomb.toString()))
        .isInstanceOf(Intake.InvalidIntakeException.class);
  }
}
