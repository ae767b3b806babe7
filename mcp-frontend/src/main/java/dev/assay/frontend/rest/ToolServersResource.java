package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.toolserver.ToolCatalogs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/tool-servers}: what is known of the servers whose tools scripts may call. */
final class ToolServersResource {
  static final String PATH = "/api/v1/tool-servers";

  private final ToolCatalogs catalogs;

  ToolServersResource(ToolCatalogs catalogs) {
    this.catalogs = catalogs;
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
    List<ToolServerDocument.Tool> tools =
        status == null
            ? List.of()
            : status.toolList().stream().map(ToolServerDocument.Tool::of).toList();
    return new Answer.Document(200, new Page<>(tools, null));
  }
}
