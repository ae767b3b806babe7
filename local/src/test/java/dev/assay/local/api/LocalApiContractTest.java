package dev.assay.local.api;

import dev.assay.contract.ApiContract;
import dev.assay.contract.ApiServer;
import dev.assay.contract.CrdRulesContract;
import dev.assay.contract.Kubectl;
import dev.assay.contract.KubectlContract;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The stand-in does what the real API server does, as far as the contract goes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalApiContractTest implements ApiContract, CrdRulesContract, KubectlContract {
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
    return List.of("--server", running.server().uri().toString());
  }
}
