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

/** The real API server passes the same contract as the stand-in of local mode. */
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

  /** Fails without kubectl, which the development cluster provides. */
  @Override
  public Optional<Path> kubectlProgram() {
    return Optional.of(Kubectl.find().orElseThrow());
  }

  @Override
  public List<String> kubectlOptions() {
    return List.of();
  }
}
