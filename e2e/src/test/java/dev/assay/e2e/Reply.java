package dev.assay.e2e;

import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a call.
 *
 * @param text all text blocks, one after the other
 * @param isError whether the tool or the protocol reported an error
 * @param structured the structured content
 * @param took from request to reply
 */
record Reply(String text, boolean isError, @Nullable Object structured, Duration took) {
  static Reply of(CallToolResult result, Duration took) {
    String text =
        result.content().stream()
            .filter(TextContent.class::isInstance)
            .map(content -> ((TextContent) content).text())
            .collect(Collectors.joining());
    return new Reply(text, Boolean.TRUE.equals(result.isError()), result.structuredContent(), took);
  }

  static Reply refused(@Nullable String message, Duration took) {
    return new Reply(message == null ? "" : message, true, null, took);
  }
}
