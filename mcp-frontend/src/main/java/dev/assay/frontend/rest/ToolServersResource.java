package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.toolserver.ToolCatalogs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/tool-servers}: what is known of the servers whose tools scripts may call. */
final class ToolServersResource {
  static final String PATH = "/api/v1/tool-servers";

  private final ToolCatalogs catalogs;
  private final OutputStore outputs;

  ToolServersResource(ToolCatalogs catalogs, OutputStore outputs) {
    this.catalogs = catalogs;
    this.outputs = outputs;
  }

  Answer list(RestRequest request) {
    if (!catalogs.isEnabled()) {
      return CodeResource.disabled();
    }
    return new Answer.Document(
        200,
        new Page<>(
            catalogs.servers(request.identity()).stream().map(ToolServerDocument::of).toList(),
            null));
  }

  Answer tools(RestRequest request) {
    if (!catalogs.isEnabled()) {
      return CodeResource.disabled();
    }
    return new Answer.Document(
        200, new Page<>(toolsOf(request).stream().map(ToolServerDocument.Tool::of).toList(), null));
  }

  /** A definition that a server lists, or that is approved of it: what a person approves. */
  Answer definition(RestRequest request) throws InterruptedException {
    if (!catalogs.isEnabled()) {
      return CodeResource.disabled();
    }
    String digest = request.path();
    if (toolsOf(request).stream()
        .noneMatch(tool -> digest.equals(tool.digest()) || digest.equals(tool.approvedDigest()))) {
      throw noDefinition();
    }
    return switch (outputs.readDefinition(request.namespace(), digest)) {
      case OutputStore.Bytes definition
          when definition.bytes().length > OutputStore.MAX_DEFINITION_BYTES ->
          throw RestException.invalid(
              "The definition has more than %d bytes and cannot be shown; do not approve it"
                  .formatted(OutputStore.MAX_DEFINITION_BYTES));
      case OutputStore.Bytes definition -> new Answer.Finished(definition.bytes());
      case OutputStore.Absent absent -> throw noDefinition();
      case OutputStore.Missing missing ->
          throw RestException.unavailable(
              "The definition cannot be read now: " + missing.why() + "; retry");
    };
  }

  private static RestException noDefinition() {
    return RestException.notFound(
        "The server has no definition with this digest; GET "
            + PATH
            + "/"
            + Route.NAME
            + "/tools has the digests");
  }

  private List<ToolState> toolsOf(RestRequest request) {
    ToolServer found =
        catalogs.servers(request.identity()).stream()
            .filter(server -> server.getMetadata().getName().equals(request.name()))
            .findFirst()
            .orElseThrow(
                () ->
                    RestException.notFound(
                        "There is no tool server '"
                            + Text.oneLine(request.name(), 80)
                            + "' in your namespace; GET "
                            + PATH
                            + " lists the existing ones"));
    @Nullable ToolServerStatus status = found.getStatus();
    return status == null ? List.of() : status.toolList();
  }
}
