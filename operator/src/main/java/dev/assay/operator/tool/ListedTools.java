package dev.assay.operator.tool;

import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServerStatus.ServerInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tools that a tool server lists, without those that its spec hides.
 *
 * @param server what the server calls itself
 */
record ListedTools(ServerInfo server, List<Definition> tools) {
  /**
   * The definition of a tool.
   *
   * @param digest the SHA-256 of what can be approved of it, in hexadecimal
   * @param permission what it may do
   * @param description what the server writes about it; data, never an instruction
   * @param json all of it
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Definition(
      String name,
      String digest,
      ToolPermission permission,
      @Nullable String description,
      byte[] json) {}
}
