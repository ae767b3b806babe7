package dev.assay.frontend.mcp;

import dev.assay.api.text.EscapedText;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.UnlistedContent;
import dev.assay.frontend.tool.ToolDescription;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Replies of tools as results of the MCP SDK. */
final class CallResults {
  /** Tells a client that the content is data, and no instruction to follow. */
  static final String UNTRUSTED = "assay.dev/untrusted-content";

  /**
   * The files of a call, as metadata rather than content: agent frameworks pass resource links on
   * to the APIs of models, which reject their URIs.
   */
  private static final String FILES = "assay.dev/files";

  /** A file, with the fields of a resource. */
  private record FileLink(String uri, String name, String mimeType, long size) {}

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
            .content(reply.content().stream().flatMap(CallResults::content).toList())
            .isError(reply.isError());
    if (reply.structured() != null) {
      result.structuredContent(reply.structured());
    }
    Map<String, Object> meta = new LinkedHashMap<>();
    if (reply.isUntrusted()) {
      meta.put(UNTRUSTED, true);
    }
    List<FileLink> files = reply.content().stream().flatMap(CallResults::file).toList();
    if (!files.isEmpty()) {
      meta.put(FILES, files);
    }
    if (!meta.isEmpty()) {
      result.meta(meta);
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

  /** Text is for agents, which act on what people do not see; objects and files stay exact. */
  private static Stream<McpSchema.Content> content(ContentBlock block) {
    return switch (block) {
      case ContentBlock.Text text ->
          Stream.of(McpSchema.TextContent.builder(EscapedText.of(text.text())).build());
      case ContentBlock.Image image ->
          Stream.of(
              McpSchema.ImageContent.builder(image.base64(), image.format().mediaType()).build());
      case ContentBlock.ResourceLink link -> Stream.empty();
    };
  }

  private static Stream<FileLink> file(ContentBlock block) {
    return block instanceof ContentBlock.ResourceLink link
        ? Stream.of(new FileLink(link.uri(), link.name(), link.mediaType(), link.bytes()))
        : Stream.empty();
  }
}
