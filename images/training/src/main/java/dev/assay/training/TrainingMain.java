package dev.assay.training;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts operator, front end and tool gateway on a stand-in cluster, has them called as agents and
 * the operator do, and ends them: their JVMs write the AOT caches then.
 */
public final class TrainingMain {
  private static final Logger LOG = LoggerFactory.getLogger(TrainingMain.class);

  private TrainingMain() {}

  /**
   * Writes {@code operator/app.aot}, {@code mcp-frontend/app.aot} and {@code tool-gateway/app.aot}.
   *
   * @param arguments the directory of the programs
   */
  public static void main(String[] arguments)
      throws IOException, InterruptedException, ExecutionException {
    try (Installation assay = new Installation(Path.of(arguments[0]))) {
      try (Program operator = assay.startOperator(recording(assay.cache("operator")))) {
        try (Program frontEnd = assay.startFrontEnd(recording(assay.cache("mcp-frontend")));
            Calls calls = assay.calls()) {
          LOG.info("Operator and front end are ready");
          new Workload(calls).run();
          LOG.info("All calls have succeeded");
          frontEnd.stop();
        }
        operator.stop();
      }
      try (Program gateway = assay.startToolGateway(recording(assay.cache("tool-gateway")));
          GatewayCalls calls = assay.gatewayCalls()) {
        LOG.info("The tool gateway is ready");
        calls.run();
        LOG.info("All calls of tools have succeeded");
        gateway.stop();
      }
    }
    LOG.info("All caches are written");
  }

  private static String recording(Path cache) {
    return "-XX:AOTCacheOutput=" + cache;
  }
}
