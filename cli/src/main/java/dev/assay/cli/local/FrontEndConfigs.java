package dev.assay.cli.local;

import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.FrontEndConfig.Analytics;
import dev.assay.frontend.config.FrontEndConfig.Auth;
import dev.assay.frontend.config.FrontEndConfig.AuthMode;
import dev.assay.frontend.config.FrontEndConfig.Defaults;
import dev.assay.frontend.config.FrontEndConfig.Listen;
import java.nio.file.Path;
import java.util.List;

/** The front end's configuration where only this machine can reach it. */
final class FrontEndConfigs {
  private FrontEndConfigs() {}

  /**
   * The configuration.
   *
   * @param keysFile see {@link LocalIdentities}
   * @param settings of queries
   * @param codeExecution settings of scripts
   */
  @SuppressWarnings("NullAway") // The configuration gives what is absent its default.
  static FrontEndConfig on(
      String address,
      int port,
      Path keysFile,
      AnalyticsSettings settings,
      CodeExecution codeExecution) {
    return new FrontEndConfig(
        new Listen(address, port),
        new Auth(AuthMode.API_KEYS, keysFile, null, null),
        List.of(),
        List.of(),
        List.of(LocalObjects.RUN_NAMESPACE),
        null,
        null,
        new Defaults(null, settings.timeoutSeconds(), null, null, null),
        null,
        null,
        new Analytics(null, null, settings.cacheTtlSeconds()),
        codeExecution);
  }
}
