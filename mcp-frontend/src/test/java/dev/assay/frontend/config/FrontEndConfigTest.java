package dev.assay.frontend.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrontEndConfigTest {
  private static final String LEAST =
      """
      auth: {mode: apiKeys, keysFile: /keys.yaml}
      namespaces: [runs]
      """;

  @Test
  void everythingCanBeSet() {
    FrontEndConfig config =
        parse(
            """
            listen: {address: 127.0.0.1, port: 1}
            auth: {mode: disabled, namespace: runs, caller: anonymous}
            allowedOrigins: ["https://chat.example"]
            allowedHosts: ["*"]
            namespaces: [runs, other]
            operator: {url: "https://op.svc:8443", caFile: /ca, tokenFile: /token}
            limits: {maxRequestBytes: 2048, maxConcurrentCalls: 3, maxReplyBytes: 70000}
            defaults: {runClass: big, timeoutSeconds: 5, maxTimeoutSeconds: 6, datasetWaitSeconds: 7, waitSeconds: 8}
            toolGroups: [code, runs]
            outputSchemas: true
            codeExecution: {enabled: true, runClass: js, timeoutMs: 1, maxToolCalls: 2, maxParallel: 3}
            """);

    assertThat(config.listen().port()).isEqualTo(1);
    assertThat(config.auth().mode()).isEqualTo(FrontEndConfig.AuthMode.DISABLED);
    assertThat(config.namespaces()).containsExactly("runs", "other");
    assertThat(Objects.requireNonNull(config.operator()).caFile()).isEqualTo(Path.of("/ca"));
    assertThat(config.limits().concurrentCalls()).isEqualTo(3);
    assertThat(config.defaults().runClassName()).isEqualTo("big");
    assertThat(config.defaults().maxTimeout()).isEqualTo(6);
    assertThat(config.defaults().waitDefault()).isEqualTo(8);
    assertThat(config.offeredToolGroups()).containsOnly(ToolGroup.CODE, ToolGroup.RUNS);
    assertThat(config.listsOutputSchemas()).isTrue();
    assertThat(config.codeExecution()).isEqualTo(new CodeExecution(true, "js", 1, 2, 3));
  }

  @Test
  void littleMustBeSet() {
    FrontEndConfig config = parse(LEAST);

    assertThat(config.listen()).isEqualTo(new FrontEndConfig.Listen("0.0.0.0", 8787));
    assertThat(config.allowedHosts()).isEqualTo(List.of());
    assertThat(config.limits().requestBytes()).isEqualTo(16_777_216);
    assertThat(config.defaults().timeout()).isEqualTo(30);
    assertThat(config.defaults().waitDefault()).isEqualTo(50);
    assertThat(config.operator()).isNull();
    assertThat(config.offeredToolGroups()).containsOnly(ToolGroup.values());
    assertThat(config.listsOutputSchemas()).isFalse();
    assertThat(config.codeExecution().isEnabled()).isFalse();
    assertThat(config.codeExecution().timeout()).isEqualTo(120_000);
    assertThat(config.codeExecution().toolCalls()).isZero();
    assertThat(config.codeExecution().parallel()).isEqualTo(8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "namespaces: []|namespaces: names no run namespace",
        "namespaces: [Runs]|namespaces: 'Runs' is not a valid namespace name",
        "listen: {address: x, port: 70000}|listen.port: must be between 0 and 65535, not 70000",
        "listen: {address: x, port: '8080'}|listen.port: ",
        "listen: {address: x}|listen",
        "auth: {mode: none}|auth.mode: ",
        "auth: {mode: apiKeys}|auth.keysFile: is needed with mode apiKeys",
        "auth: {mode: disabled}|auth.namespace: is needed with mode disabled",
        "auth: {mode: disabled, namespace: x, caller: y}|auth.namespace: must be one of namespaces",
        "auth: {mode: disabled, namespace: runs, caller: y, keysFile: z}|auth.keysFile: belongs to",
        "limits: {maxReplyBytes: 1}|limits.maxReplyBytes: must be between",
        "limits: {maxReplyTokens: 999}|limits.maxReplyTokens: must be between 1000 and 200000",
        "codeExecution: {timeoutMs: 600001}|codeExecution.timeoutMs: must be between 1 and 600000,",
        "codeExecution: {maxParallel: 33}|codeExecution.maxParallel: must be between 1 and 32,",
        "codeExecution: {maxToolCalls: -1}|codeExecution.maxToolCalls: must be between 0 and",
        "toolGroups: []|toolGroups: names no group of tools",
        "toolGroups: [sql]|toolGroups.[0]: ",
        "limits: {maxreplybytes: 1}|limits.maxreplybytes: ",
        "defaults: {timeoutSeconds: 601}|defaults.timeoutSeconds: must be between 1 and 600, not"
            + " 601",
        "defaults: {timeoutSeconds: 1.5}|defaults.timeoutSeconds: ",
        "operator: {url: 'http://far.example'}|operator.url: must be https, or http on the"
            + " loopback",
        "operator: {url: 'https://op'}|operator.caFile: is needed with https",
        "allowedOrigins: ['*']|allowedOrigins: '*' is not a valid origin",
        "extra: 1|extra: ",
      })
  void whatIsWrongIsNamedInOneLine(String line, String message) {
    String member = line.substring(0, line.indexOf(':'));
    String others =
        LEAST.lines().filter(l -> !l.startsWith(member + ":")).reduce("", (a, b) -> a + b + "\n");

    assertThatThrownBy(() -> parse(others + line))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith(message)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("\n")
        .doesNotContain("dev.assay");
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThatThrownBy(() -> parse("namespaces: [runs]")).hasMessageContaining("auth");
    assertThatThrownBy(() -> parse("auth: {mode: apiKeys, keysFile: /k}"))
        .hasMessageContaining("namespaces");
    assertThatThrownBy(() -> parse("")).hasMessageContaining("empty");
    assertThatThrownBy(() -> parse("a: [")).isInstanceOf(InvalidConfigException.class);
  }

  private static FrontEndConfig parse(String yaml) {
    return YamlFile.parse(yaml, FrontEndConfig.class);
  }
}
