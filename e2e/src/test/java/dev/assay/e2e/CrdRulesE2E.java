package dev.assay.e2e;

import dev.assay.contract.ApiServer;
import dev.assay.contract.CrdRulesContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The API server itself enforces every rule and limit of the kinds. */
@Core
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrdRulesE2E implements CrdRulesContract {
  private final ContractNamespace namespace = new ContractNamespace("assay-e2e-rules-");

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
}
