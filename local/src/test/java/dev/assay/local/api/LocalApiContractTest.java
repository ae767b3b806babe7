package dev.assay.local.api;

import dev.assay.contract.ApiContract;
import dev.assay.contract.ApiServer;
import dev.assay.contract.CrdRulesContract;
import dev.assay.contract.Kubectl;
import dev.assay.contract.KubectlContract;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The stand-in does what the real API server does, as far as the contract goes. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalApiContractTest implements ApiContract, CrdRulesContract, KubectlContract {
  @TempDir private Path folder;

  private final RunningServer running = new RunningServer();

  @AfterAll
  void stop() {
    running.close();
  }

  @Override
  public ApiServer server() {
    return new ApiServer(running.client());
  }

  @Override
  public String namespace() {
    return RunningServer.NAMESPACE;
  }

  @Override
  public Optional<Path> kubectlProgram() {
    return Kubectl.find();
  }

  @Override
  public List<String> kubectlOptions() {
    Config config = running.server().secureClientConfig();
    byte[] certificate = Base64.getDecoder().decode(config.getCaCertData());
    try {
      Path authority = Files.write(folder.resolve("ca.crt"), certificate);
      return List.of(
          "--server=" + config.getMasterUrl(),
          "--token=" + config.getOauthToken(),
          "--certificate-authority=" + authority);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
