package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Code mode from the command line. */
@Everywhere
class CodeModeCommandsE2E {
  private static final String INTAKE =
      """
      agent: analyst
      task: Describe two numbers
      timeout_seconds: 60
      files: {in.csv: "x\\n1\\n3\\n"}
      code: |
        from orchestrator.mcp import analytics, data, viz
        frame = data.load_csv("in.csv")
        viz.plot_distribution(frame, "x")
        print(analytics.describe_data(frame)["statistics"]["x"]["mean"])
      """;

  @TempDir private Path folder;

  @Test
  void anIntakeRunsAndItsFilesAreSaved(Assay assay) throws IOException {
    Programs.Finished finished = start(assay, INTAKE, "--mode", "code");
    assertThat(finished.orFail()).isEqualTo("2.0\n");
    assertThat(finished.errors()).contains("mode code");
    Picture.of(Files.readAllBytes(folder.resolve("out/reports/distribution_x.png")));
  }

  @Test
  void theResultAsJsonIsThatOfTheTool(Assay assay) throws IOException {
    Files.writeString(folder.resolve("a.py"), "print('from a file')\n");
    String intake = "mode: code\ncode_file: a.py\nagent: analyst\n";
    JsonNode result = Rest.JSON.readTree(start(assay, intake, "--output", "json").orFail());
    assertThat(result.path("success").asBoolean()).isTrue();
    assertThat(result.path("code_path").asText()).startsWith(".work/generated/");
    assertThat(result.at("/logs/stdout").asText()).isEqualTo("from a file\n");
    assertThat(result.path("error").isNull()).isTrue();
    assertThat(result.at("/metadata/execution_mode").asText()).isEqualTo("code");
    assertThat(result.at("/metadata/agent").asText()).isEqualTo("analyst");
  }

  @Test
  void codeThatTheGuardRefusesIsAnErrorOfTheCode(Assay assay) throws IOException {
    Programs.Finished finished = start(assay, "mode: code\ncode: import os\n");
    assertThat(finished.exit()).isEqualTo(1);
    assertThat(finished.output() + finished.errors())
        .contains("Code safety validation failed:", "- line 1: import os");
    assertThat(start(assay, "code: import os; print(os.sep)\n").orFail()).isEqualTo("/\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "code: print(1); secret: 2 | mapping",
        "{code: print(1), secret: 2} | 'secret'",
        "{code: !!python/object/apply:os.system [id]} | ",
        "!!java.net.URL {code: x} | ",
        "{code: print(1), code_file: a.py} | either 'code' or 'code_file'",
        "{task: nothing} | either 'code' or 'code_file'",
        "{code: print(1), mode: fast} | 'mode' must be standard or code",
        "{code: print(1), timeout_seconds: soon} | 'timeout_seconds' must be a whole number",
        "{code: print(1), files: [a]} | 'files' must be a mapping",
        "[1] | must be a mapping",
        "&a [*a] | mapping",
      })
  void anIntakeThatIsNoneIsOneSentence(String intake, String words, Assay assay)
      throws IOException {
    Programs.Finished finished = start(assay, intake);
    assertThat(finished.exit()).as(finished.errors()).isEqualTo(2);
    assertThat(finished.output()).isEmpty();
    assertThat(finished.errors())
        .contains("intake.yaml", words == null ? "" : words)
        .doesNotContain("\tat ", "Exception");
  }

  @Test
  void theDoctorFindsCodeModeWell(Assay assay) {
    Programs.Finished finished = assay.program("doctor", "--code-mode");
    assertThat(finished.orFail())
        .contains(
            "the guard refuses import os",
            "the guard refuses eval",
            "connections are blocked",
            "the library and its modules are there");
  }

  private Programs.Finished start(Assay assay, String intake, String... options)
      throws IOException {
    Path file = Files.writeString(folder.resolve("intake.yaml"), intake);
    String[] all = new String[options.length + 6];
    all[0] = "run";
    all[1] = "start";
    all[2] = "--intake";
    all[3] = file.toString();
    all[4] = "--artifacts";
    all[5] = folder.resolve("out").toString();
    System.arraycopy(options, 0, all, 6, options.length);
    return assay.program(all);
  }
}
