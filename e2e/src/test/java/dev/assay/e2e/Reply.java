package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.tokens.Tokens;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a call.
 *
 * @param text all text blocks, one after the other
 * @param isError whether the tool or the protocol reported an error
 * @param structured the structured content
 * @param blocks all blocks, in their order
 * @param files the addresses of the files that the call has left, as programs read them
 * @param took from request to reply
 */
record Reply(
    String text,
    boolean isError,
    @Nullable Object structured,
    List<Content> blocks,
    List<String> files,
    Duration took) {
  static Reply of(CallToolResult result, Duration took) {
    String text =
        result.content().stream()
            .filter(TextContent.class::isInstance)
            .map(content -> ((TextContent) content).text())
            .collect(Collectors.joining());
    return new Reply(
        text,
        Boolean.TRUE.equals(result.isError()),
        result.structuredContent(),
        result.content(),
        Rest.JSON
            .<JsonNode>valueToTree(result.meta())
            .path("assay.dev/files")
            .findValuesAsText("uri"),
        took);
  }

  static Reply refused(@Nullable String message, Duration took) {
    return new Reply(message == null ? "" : message, true, null, List.of(), List.of(), took);
  }

  /** The reply of a call that succeeds. */
  Reply orFail() {
    if (isError) {
      throw new AssertionError(text);
    }
    return this;
  }

  /** Tokens of the text of a reply that is no error. */
  int tokens() {
    return Tokens.of(orFail().text());
  }

  /** The structured content. */
  JsonNode document() {
    return Rest.JSON.valueToTree(structured);
  }

  /** The bytes of all images. */
  List<byte[]> images() {
    return blocks.stream()
        .filter(ImageContent.class::isInstance)
        .map(block -> Base64.getDecoder().decode(((ImageContent) block).data()))
        .toList();
  }
}
