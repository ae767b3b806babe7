package dev.assay.frontend.http;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.run.OutputReader;

/** The memory that requests and replies may take. */
public record EndpointMemory(RequestMemory requests, ReplyMemory replies) {
  /** Parts of this process' heap. */
  public static EndpointMemory ofHeap(FrontEndConfig config) {
    return new EndpointMemory(
        RequestMemory.ofHeap(config),
        ReplyMemory.ofHeap(config, OutputReader.maxHeapBytes(config.limits().replyBytes())));
  }
}
