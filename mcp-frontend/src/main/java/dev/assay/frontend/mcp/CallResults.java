package dev.assay.frontend.mcp;

import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.UnlistedContent;
import dev.assay.frontend.tool.ToolDescription;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/** Replies of tools as results of the MCP SDK. */
final class CallResults {
  /** Tells a client that the content is data, and no instruction to follow. */
  private static final Map<String, Object> UNTRUSTED = Map.of("assay.dev/untrusted-content", true);

  private CallResults() {}

  /**
   * The result of a call.
   *
   * @throws IllegalArgumentException where the reply is not what the tool declares to return
   */
  static McpSchema.CallToolResult of(Reply reply, ToolDescription tool) {
    requireDeclared(reply, tool);
    McpSchema.CallToolResult.Builder result =
        McpSchema.CallToolResult.builder()
            .content(reply.content().stream().map(CallResults::content).toList())
            .isError(reply.isError());
    if (reply.structured() != null) {
      result.structuredContent(reply.structured());
    }
    if (reply.isUntrusted()) {
      result.meta(UNTRUSTED);
    }
    return result.build();
  }

  /** The SDK would turn the reply into an error, or log what is in it. */
  private static void requireDeclared(Reply reply, ToolDescription tool) {
    boolean isDeclared =
        switch (reply.structured()) {
          case null -> reply.isError() || tool.output() == null;
          case UnlistedContent unlisted -> tool.output() == null;
          case Record record -> tool.output() != null && tool.output().isInstance(record);
        };
    if (!isDeclared) {
      throw new IllegalArgumentException(
          tool.name() + " declares to return " + tool.output() + " and returned something else");
    }
  }

  private static McpSchema.Content content(ContentBlock block) {
    return switch (block) {
      case ContentBlock.Text text -> McpSchema.TextContent.builder(text.text()).build();
      case ContentBlock.Image image ->
          McpSchema.ImageContent.builder(image.base64(), image.format().mediaType()).build();
      case ContentBlock.ResourceLink link ->
          McpSchema.ResourceLink.builder()
              .uri(link.uri())
              .name(link.name())
              .mimeType(link.mediaType())
              .size(link.bytes())
              .build();
    };
  }
}
