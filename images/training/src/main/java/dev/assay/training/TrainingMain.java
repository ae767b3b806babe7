package dev.assay.training;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the operator and the front end on a stand-in cluster, has the front end called as agents
 * do, and ends both: their JVMs write the AOT caches then.
 */
public final class TrainingMain {
  private static final Logger LOG = LoggerFactory.getLogger(TrainingMain.class);

  private TrainingMain() {}

  /**
   * Writes {@code operator/app.aot} and {@code mcp-frontend/app.aot}.
   *
   * @param arguments the directory of both programs
   */
  public static void main(String[] arguments)
      throws IOException, InterruptedException, ExecutionException {
    try (Installation assay = new Installation(Path.of(arguments[0]));
        Program operator = assay.startOperator(recording(assay.cache("operator")))) {
      try (Program frontEnd = assay.startFrontEnd(recording(assay.cache("mcp-frontend")));
          Calls calls = assay.calls()) {
        LOG.info("Both programs are ready");
        new Workload(calls).run();
        LOG.info("All calls have succeeded");
        frontEnd.stop();
      }
      operator.stop();
    }
    LOG.info("Both caches are written");
  }

  private static String recording(Path cache) {
    return "-XX:AOTCacheOutput=" + cache;
  }
}
