package dev.assay.operator.tool;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has the gateway cancel the calls of a run that has ended, and forget it. */
final class GatewayClosing {
  private static final Logger LOG = LoggerFactory.getLogger(GatewayClosing.class);
  private static final int MAX_ATTEMPTS = 3;

  private GatewayClosing() {}

  /** Closes a run where its calls were sent, on threads of its own. A gateway forgets it anyway. */
  static void close(ToolCallServices services, String runUid, Collection<String> addresses) {
    services
        .gateway()
        .ifPresent(
            gateway -> {
              for (String address : addresses) {
                services.threads().execute(() -> close(services, gateway, runUid, address));
              }
            });
  }

  private static void close(
      ToolCallServices services, ToolGateway gateway, String runUid, String address) {
    try {
      Backoff backoff = new Backoff(services.clock(), Instant.MAX);
      for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        try {
          gateway.close(address, runUid);
          return;
        } catch (IOException e) {
          LOG.debug("Run {} is not closed at {}: {}", runUid, address, e.toString());
        }
        boolean unused = backoff.pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
