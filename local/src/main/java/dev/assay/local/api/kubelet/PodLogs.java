package dev.assay.local.api.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.status.ApiException;
import java.io.InputStream;

/** Knows what containers have written. */
@FunctionalInterface
public interface PodLogs {
  /** What there is where nothing runs Pods. */
  PodLogs NONE =
      (pod, options) -> {
        throw ApiException.badRequest("nothing runs Pods here, so there are no logs");
      };

  /**
   * The log of a container; the caller closes it.
   *
   * @param pod which must not be changed
   * @param options which part of the log
   * @return text; where it is followed, it ends when the container does
   * @throws ApiException where there is no such container, or it has not begun
   */
  InputStream open(ObjectNode pod, PodLogOptions options);
}
