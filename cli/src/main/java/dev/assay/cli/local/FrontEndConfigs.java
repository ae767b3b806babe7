package dev.assay.cli.local;

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
  private static final String LOOPBACK = "127.0.0.1";

  private FrontEndConfigs() {}

  /**
   * The configuration.
   *
   * @param keysFile see {@link LocalIdentities}
   */
  @SuppressWarnings("NullAway") // The configuration gives what is absent its default.
  static FrontEndConfig of(LocalSettings settings, Path keysFile) {
    AnalyticsSettings analytics = settings.analytics();
    return new FrontEndConfig(
        new Listen(LOOPBACK, settings.port()),
        new Auth(AuthMode.API_KEYS, keysFile, null, null),
        List.of(),
        List.of(),
        List.of(LocalObjects.RUN_NAMESPACE),
        null,
        null,
        new Defaults(null, analytics.timeoutSeconds(), null, null, null),
        null,
        null,
        new Analytics(null, null, analytics.cacheTtlSeconds()),
        settings.scripts().codeExecution());
  }
}
