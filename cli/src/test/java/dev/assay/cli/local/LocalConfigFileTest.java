package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.assay.cli.MachineException;
import dev.assay.cli.jvm.JvmRunner;
import dev.assay.frontend.config.CodeExecution;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalConfigFileTest {
  @TempDir private Path folder;

  @Test
  void scriptsAreOffUnlessTheFileSaysOtherwise() throws Exception {
    assertThat(LocalConfigFile.read(null, Map.of())).isEqualTo(LocalConfig.NONE);
    assertThat(LocalConfigFile.parse("{}", Map.of())).isEqualTo(LocalConfig.NONE);
    Path file =
        Files.writeString(
            folder.resolve("config.json"),
            """
            {"enable_code_execution": true, "code_execution_timeout_ms": 30000,
             "code_execution_max_tool_calls": 5, "code_execution_max_parallel": 4,
             "code_execution_pool_size": 3}
            """);
    LocalConfig read = LocalConfigFile.read(file, Map.of());
    assertThat(read.codeExecution()).isEqualTo(new CodeExecution(true, null, 30_000, 5, 4));
    assertThat(read.scriptsAtOnce()).isEqualTo(3);
  }

  @Test
  void scriptsAreOnWhereTheyHaveToolsUnlessTheFileSaysOtherwise() {
    String servers = "\"mcpServers\": {\"a\": {\"url\": \"http://a/\"}}";

    LocalConfig on = LocalConfigFile.parse("{" + servers + "}", Map.of());
    assertThat(on.codeExecution()).isEqualTo(CodeExecution.on());
    assertThat(on.toolServers()).hasSize(1);
    assertThat(
            LocalConfigFile.parse("{\"enable_code_execution\": false, " + servers + "}", Map.of())
                .codeExecution())
        .isEqualTo(CodeExecution.OFF);
  }

  @Test
  void theServerOfTheDemonstrationComesAfterThoseOfTheFile() {
    LocalConfig file =
        LocalConfigFile.parse("{\"mcpServers\": {\"a\": {\"url\": \"http://a/\"}}}", Map.of());
    assumeTrue(JvmRunner.runsScripts());

    assertThat(file.withDemo().toolServers())
        .extracting(McpServerEntry::name)
        .containsExactly("a", DemoServer.NAME);
    assertThat(LocalConfig.NONE.withDemo().codeExecution().isEnabled()).isTrue();
    LocalConfig taken =
        LocalConfigFile.parse("{\"mcpServers\": {\"shop\": {\"url\": \"http://a/\"}}}", Map.of());
    assertThat(taken.withDemo()).isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[]|the file must be a JSON object, such as {\"enable_code_execution\": true}",
        "{\"a|the file must be a JSON object, such as {\"enable_code_execution\": true}",
        "{\"enable_code_execution\": 1}|enable_code_execution: must be true or false",
        "{\"code_execution_timeout_ms\": 1.5}|code_execution_timeout_ms: must be a whole number",
        "{\"code_execution_timeout_ms\": 0}|code_execution_timeout_ms: must be between 1 and 600000,"
            + " not 0",
        "{\"code_execution_pool_size\": 101}|code_execution_pool_size: must be between 1 and 100,"
            + " not 101",
        "{\"enable\": true}|unknown setting 'enable'; the settings are code_execution_max_parallel,"
            + " code_execution_max_tool_calls, code_execution_pool_size,"
            + " code_execution_timeout_ms, enable_code_execution, mcpServers",
        "{\"mcpServers\": {\"a\": {}}}|mcpServers.a: must have either url or command",
      })
  void whatIsWrongIsNamed(String json, String message) throws Exception {
    Path file = Files.writeString(folder.resolve("config.json"), json);

    assertThatThrownBy(() -> LocalConfigFile.read(file, Map.of()))
        .isInstanceOf(MachineException.class)
        .hasMessage(file + ": " + message);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path file = folder.resolve("none.json");

    assertThatThrownBy(() -> LocalConfigFile.read(file, Map.of()))
        .isInstanceOf(MachineException.class)
        .hasMessage(file + " cannot be read, or is not UTF-8 text");
  }
}
