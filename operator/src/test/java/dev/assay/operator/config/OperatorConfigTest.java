package dev.assay.operator.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorConfigTest {
  private static final String GOOD =
      """
      namespaces:
        - name: team-a
          snapshotClaim: snapshots
          sourceVolumes:
            - name: lake
              claim: lake-claim
          userIds: {first: 30000, last: 30999}
      runTtlSeconds: 3600
      maxRunsPerNamespace: 20000
      outputStore:
        directory: /var/lib/assay
        maxRunsPerNamespace: 100
        maxBytesPerNamespace: 10000000000
        cacheMaxBytesPerNamespace: 5000000000
      endpoint:
        port: 8443
        audience: assay-operator
        allowedServiceAccounts: []
        serviceName: assay-operator
      signingKeyMaxAgeDays: 90
      snapshotCleanup:
        everySeconds: 3600
        minAgeSeconds: 1800
      warmPools:
        maxIdleMemoryBytesPerNamespace: 1000
        maxIdleMemoryBytes: 2000
        watchNodes: true
      egressCheck:
        host: assay.assay-system.svc
        port: 8787
      operatorPodLabels:
        app: assay-operator
      """;

  @TempDir private Path directory;

  @Test
  void aFileWithAllThatIsNeededIsRead() throws IOException {
    OperatorConfig config = read(GOOD);
    assertThat(config.namespaceNames()).containsExactly("team-a");
    assertThat(config.outputStore().maxBytesPerNamespace()).isEqualTo(10_000_000_000L);
    assertThat(config.outputStore().cacheMaxBytesPerNamespace()).isEqualTo(5_000_000_000L);
    assertThat(config.leaderElection()).isNull();
    assertThat(config.namespace("team-a").orElseThrow().userIdRange())
        .isEqualTo(new UserIdRange(30_000, 30_999));
    assertThat(config.namespace("team-b")).isEmpty();
    assertThat(config.namespace("team-a").orElseThrow().sourceVolume("lake")).isPresent();
    assertThat(config.namespace("team-a").orElseThrow().sourceVolume("ocean")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "runTtlSeconds: 3600,runTtl: 3600,runTtl",
    "runTtlSeconds: 3600,runTtlSeconds: soon,runTtlSeconds",
    "runTtlSeconds: 3600,runTtlSeconds: null,runTtlSeconds",
    "port: 8443,port: [8443],endpoint.port",
    "audience: assay-operator,audiences: assay-operator,audience",
    "directory: /var/lib/assay,dir: /var/lib/assay,outputStore.dir",
    "minAgeSeconds: 1800,minAgeSeconds: 0,snapshotCleanup",
    "maxIdleMemoryBytes: 2000,maxIdleMemoryBytes: -1,warmPools",
    "maxIdleMemoryBytesPerNamespace: 1000,maxIdleMemoryBytesPerNamespace: -1,warmPools",
    "maxIdleMemoryBytes: 2000,maxBytes: 2000,warmPools.maxIdleMemoryBytes",
    "host: assay.assay-system.svc,host: '',egressCheck",
    "port: 8787,port: 0,egressCheck",
    "port: 8787,port: 65536,egressCheck",
    "port: 8787,ports: 8787,egressCheck.port",
    "watchNodes: true,watchNode: true,warmPools.watchNodes",
    "everySeconds: 3600,everySeconds: -1,snapshotCleanup",
    "everySeconds: 3600,everyMinutes: 60,snapshotCleanup.everySeconds",
    "snapshotClaim: snapshots,claim: snapshots,namespaces.[].snapshotClaim",
    "first: 30000,first: 30999,namespaces.[].userIds",
    "first: 30000,first: 0,namespaces.[].userIds",
    "last: 30999,last: 65532,namespaces.[].userIds",
    "last: 30999,last: 4294967294,namespaces.[].userIds",
    "claim: lake-claim,claim: {a: b},namespaces.[].sourceVolumes.[].claim"
  })
  void anUnknownMissingOrWrongMemberIsNamed(String good, String bad, String member) {
    assertThat(GOOD).contains(good);
    assertThatThrownBy(() -> read(GOOD.replace(good, bad)))
        .isInstanceOf(ConfigReader.InvalidConfigException.class)
        .hasMessageContaining(member)
        .hasMessageContaining("operator.yaml");
  }

  @Test
  void runsAreNotOpenToEveryPodOfTheOperatorsNamespace() {
    assertThatThrownBy(
            () ->
                read(
                    GOOD.replace(
                        "operatorPodLabels:\n  app: assay-operator", "operatorPodLabels: {}")))
        .isInstanceOf(ConfigReader.InvalidConfigException.class)
        .hasMessageContaining("operatorPodLabels is empty");
  }

  @Test
  void aMissingMemberIsNamed() {
    assertThatThrownBy(() -> read(GOOD.replace("  port: 8443\n", "")))
        .isInstanceOf(ConfigReader.InvalidConfigException.class)
        .hasMessageContaining("'port'");
  }

  @Test
  void whatIsNoYamlIsRefused() {
    assertThatThrownBy(() -> read("a: [")).isInstanceOf(ConfigReader.InvalidConfigException.class);
    assertThatThrownBy(() -> read("- a")).isInstanceOf(ConfigReader.InvalidConfigException.class);
    assertThatThrownBy(() -> read("")).isInstanceOf(ConfigReader.InvalidConfigException.class);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThatThrownBy(
            () -> ConfigReader.read(directory.resolve("absent.yaml"), OperatorConfig.class))
        .isInstanceOf(ConfigReader.InvalidConfigException.class)
        .hasMessageContaining("absent.yaml");
  }

  private OperatorConfig read(String text) throws IOException {
    return ConfigReader.read(
        Files.writeString(directory.resolve("operator.yaml"), text), OperatorConfig.class);
  }
}
