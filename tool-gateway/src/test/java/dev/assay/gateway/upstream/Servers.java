package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.gateway.address.AddressRange;
import dev.assay.gateway.address.AddressRules;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.List;

/** Tool servers for tests, on this machine. */
public final class Servers {
  public static final String NAMESPACE = "team";

  /** Loopback addresses may be connected to. */
  public static final AddressRules LOOPBACK =
      new AddressRules(
          List.of(AddressRange.parse("127.0.0.0/8"), AddressRange.parse("::1")), List.of());

  private Servers() {}

  /** A spec without approval. */
  public static ToolServerSpec spec(String url) {
    return new ToolServerSpec(
        url,
        Protocol.StreamableHttp,
        true,
        false,
        null,
        null,
        null,
        Approval.None,
        null,
        Session.Shared,
        null,
        null);
  }

  public static ToolServer of(ToolServerSpec spec) {
    return of(spec, 1);
  }

  public static ToolServer of(ToolServerSpec spec, long generation) {
    ToolServer server = new ToolServer();
    server.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(NAMESPACE)
            .withName("tools")
            .withUid("uid-1")
            .withGeneration(generation)
            .build());
    server.setSpec(spec);
    return server;
  }

  /** A call of a run. */
  public static ToolCall call(String run, String tool, String arguments) {
    return new ToolCall(run, tool, arguments, null, null, 1 << 20, Duration.ofSeconds(10));
  }

  public static ToolCall call(String tool) {
    return call("run-1", tool, "{}");
  }
}
