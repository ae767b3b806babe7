package dev.assay.cli.local;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.FrontEndConfig.Auth;
import dev.assay.frontend.config.FrontEndConfig.AuthMode;
import dev.assay.frontend.config.FrontEndConfig.Listen;
import dev.assay.frontend.identity.Identity;
import java.util.List;

/** The front end's configuration where only this machine can reach it. */
final class FrontEndConfigs {
  private FrontEndConfigs() {}

  @SuppressWarnings("NullAway") // The configuration gives what is absent its default.
  static FrontEndConfig on(String address, int port, Identity everybody) {
    return new FrontEndConfig(
        new Listen(address, port),
        new Auth(AuthMode.DISABLED, null, everybody.namespace(), everybody.caller()),
        List.of(),
        List.of(),
        List.of(everybody.namespace()),
        null,
        null,
        null);
  }
}
