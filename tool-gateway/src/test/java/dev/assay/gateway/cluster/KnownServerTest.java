package dev.assay.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.upstream.Servers;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KnownServerTest {
  private final ToolServer enabled = Servers.of(Servers.spec("https://example.com/mcp"));
  private final ToolServer disabled =
      Servers.of(Servers.spec("https://example.com/mcp").withEnabled(false), 2);

  private ToolServer watched = enabled;
  private @Nullable ToolServer stored = enabled;
  private final KnownServer server = new KnownServer(() -> watched, this::read, () -> 0);

  private Optional<ToolServer> read() {
    if (stored == null) {
      throw new KubernetesClientException("no API server");
    }
    return Optional.of(stored);
  }

  @Test
  void whatTheWatchTellsOfIsReadAtOnce() {
    assertThat(server.get()).contains(enabled);
    stored = disabled;
    assertThat(server.get()).as("within five seconds").contains(enabled);

    watched = disabled;

    assertThat(server.get()).contains(disabled);
  }

  /** What the watch has may be older than what was read. */
  @Test
  void aChangeThatCannotBeReadMakesItUnknown() {
    assertThat(server.get()).contains(enabled);
    stored = null;
    watched = disabled;

    assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(server::get);
  }
}
