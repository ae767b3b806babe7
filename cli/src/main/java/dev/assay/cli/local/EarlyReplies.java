package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.frontend.FrontEnd;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.http.EndpointMemory;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.run.RunClasses;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a local mode replies to a client before it serves: its own front end says it, with its
 * settings and classes, and without a cluster behind it.
 */
final class EarlyReplies {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Path NO_KEYS = Path.of("/dev/null");

  private final FrontEnd frontEnd;

  EarlyReplies(LocalSettings settings) {
    FrontEndConfig config = FrontEndConfigs.of(settings, NO_KEYS);
    this.frontEnd =
        new FrontEnd(
            config,
            Identities.everybodyIs(LocalIdentities.IDENTITY),
            FrontEnd.Cluster.absent(new Classes(LocalObjects.classes(settings))),
            EndpointMemory.ofHeap(config),
            FrontEnd.Times.DEFAULT,
            ProgramMetrics.unread());
  }

  /** The reply to a message; empty if only a local mode that serves can give it. */
  Optional<JsonNode> to(String message) {
    return frontEnd
        .answerWithoutCluster(message.getBytes(UTF_8), LocalIdentities.IDENTITY)
        .map(JSON::readTree);
  }

  /** The classes that local mode will create. */
  private record Classes(List<RunClass> all) implements RunClasses {
    @Override
    public Optional<RunClass> find(String className) {
      return all.stream().filter(one -> one.getMetadata().getName().equals(className)).findFirst();
    }
  }
}
