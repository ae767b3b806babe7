package dev.assay.e2e;

import dev.assay.contract.ApiContract;
import dev.assay.contract.ApiServer;
import dev.assay.contract.Kubectl;
import dev.assay.contract.KubectlContract;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The real API server does what the stand-in of local mode is held to. */
@Full
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiContractE2E implements ApiContract, KubectlContract {
  private final ContractNamespace namespace = new ContractNamespace("assay-e2e-contract-");

  @AfterAll
  void cleanUp() {
    namespace.close();
  }

  @Override
  public ApiServer server() {
    return namespace.server();
  }

  @Override
  public String namespace() {
    return namespace.name();
  }

  /** Without one this fails: the development cluster brings it along. */
  @Override
  public Optional<Path> kubectlProgram() {
    return Optional.of(Kubectl.find().orElseThrow());
  }

  @Override
  public List<String> kubectlOptions() {
    return List.of();
  }
}
