package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What local mode hands to those who may use it. */
class CredentialsTest {
  @TempDir private Path folder;

  @Test
  void theKubeconfigCarriesTheTokenAndIsItsOwners() throws IOException {
    Config client =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("https://127.0.0.1:1")
            .withCaCertData("Y2E=")
            .withOauthToken("s3cret")
            .build();
    Path file = Kubeconfig.write(folder.resolve("kubeconfig"), client);
    Config read = Config.fromKubeconfig(file.toFile());
    assertThat(read.getAutoOAuthToken()).isEqualTo("s3cret");
    assertThat(read.getCaCertData()).isEqualTo("Y2E=");
    assertThat(read.getMasterUrl()).startsWith("https://127.0.0.1:1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void onlyTheKeyIsSomebodyAndOnlyItsDigestIsWritten() throws IOException {
    Path file = folder.resolve("keys.yaml");
    LocalIdentities identities = LocalIdentities.write(file, "s3cret", "/state/api-key");
    assertThat(identities.of("s3cret")).contains(LocalIdentities.IDENTITY);
    assertThat(identities.of("other")).isEmpty();
    assertThat(identities.of(null)).isEmpty();
    assertThat(identities.keyLocation()).isEqualTo("/state/api-key");
    assertThat(file).content().doesNotContain("s3cret");
  }

  @Test
  void whatPeopleCopyNamesTheFileWithTheKeyAndNotTheKey() throws IOException {
    URI endpoint = URI.create("http://127.0.0.1:8787");
    Path key = Files.writeString(folder.resolve("api-key"), "s3cret");
    List<String> lines = ClientConfiguration.lines(endpoint, key, "/opt/assay/assay");
    assertThat(lines.get(0))
        .endsWith(
            "claude mcp add assay -- /opt/assay/assay mcp-stdio --endpoint http://127.0.0.1:8787");
    assertThat(lines.get(3)).contains("\"headers\":{\"Authorization\":\"Bearer KEY\"}");
    assertThat(lines.get(4)).contains(key.toString());
    assertThat(String.join("\n", lines)).doesNotContain("s3cret");
    for (String line : lines.subList(1, 4)) {
      String json = line.substring(line.indexOf('{')).replaceAll("'$", "");
      assertThat(JsonMapper.shared().readTree(json).isObject()).isTrue();
    }
  }
}
