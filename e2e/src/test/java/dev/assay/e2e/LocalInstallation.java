package dev.assay.e2e;

import dev.assay.cli.MachineException;
import dev.assay.cli.local.AnalyticsSettings;
import dev.assay.cli.local.LocalAssay;
import dev.assay.cli.local.LocalConfig;
import dev.assay.cli.local.LocalSettings;
import dev.assay.cli.python.PythonEnvironment;
import dev.assay.cli.text.Progress;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.IsolationDetection;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All of Assay in this process, for the scenarios that need no cluster. */
final class LocalInstallation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalInstallation.class);

  /**
   * Builds and other tests run beside the scenarios: what takes 3 s alone may take 30. The default
   * limit is tested on the cluster.
   */
  private static final int TIMEOUT_SECONDS = 120;

  private final LocalAssay assay;

  private LocalInstallation(LocalAssay assay) {
    this.assay = assay;
  }

  /** Uses the best isolation that is available on this machine. */
  static LocalInstallation start() {
    return start(null);
  }

  static LocalInstallation start(@Nullable Isolation wanted) {
    return start(wanted, LocalConfig.withScripts());
  }

  static LocalInstallation start(@Nullable Isolation wanted, LocalConfig config) {
    try {
      PythonEnvironment python = prepare();
      Isolation isolation =
          wanted == null ? IsolationDetection.detect(python.interpreter().toString()) : wanted;
      LOG.info("Isolation of the scenarios: {}", isolation);
      return new LocalInstallation(
          LocalAssay.start(
              new LocalSettings(0, null, null, settings(), config), python, isolation));
    } catch (MachineException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static AnalyticsSettings settings() throws MachineException {
    return AnalyticsSettings.read(
        Map.of("MAX_QUERY_TIME_MS", String.valueOf(TIMEOUT_SECONDS * 1000)));
  }

  /** One at a time: the environment is locked against other processes only. */
  private static synchronized PythonEnvironment prepare()
      throws MachineException, InterruptedException {
    return PythonEnvironment.prepare(new LoggedProgress());
  }

  Installation installation() {
    return new Installation(
        assay.endpoint().resolve("/mcp"),
        assay.key(),
        LocalAssay.NAMESPACE,
        Config.fromKubeconfig(assay.kubeconfig().toFile()),
        null);
  }

  @Override
  public void close() {
    assay.close();
  }

  private static final class LoggedProgress implements Progress {
    @Override
    public void begin(String what, long steps) {
      LOG.info("{}: {}", what, steps);
    }

    @Override
    public void advance(long steps) {
      LOG.debug("done");
    }

    @Override
    public void end() {
      LOG.info("done");
    }

    @Override
    public void say(String sentence) {
      LOG.info("{}", sentence);
    }
  }
}
