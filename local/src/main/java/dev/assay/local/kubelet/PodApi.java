package dev.assay.local.kubelet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a kubelet, and the scheduler, write about a Pod. */
final class PodApi {
  static final String NODE = "local";

  private static final Logger LOG = LoggerFactory.getLogger(PodApi.class);
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final KubernetesClient client;
  private final ObjectMapper json = new ObjectMapper();

  PodApi(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Gives a Pod to this node.
   *
   * @throws KubernetesClientException where it is gone or another's
   */
  void bind(Pod pod) {
    ObjectNode binding = json.createObjectNode().put("apiVersion", "v1").put("kind", "Binding");
    binding.putObject("metadata").put("name", pod.getMetadata().getName());
    binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", NODE);
    client.raw(path(pod) + "/binding", "POST", binding);
  }

  /**
   * Writes a status whole.
   *
   * @throws KubernetesClientException where the Pod is gone or the API server cannot be reached
   */
  void writeStatus(Pod pod, PodStatus status) {
    ObjectNode patch = json.createObjectNode();
    // Another Pod of this name would have another UID, and the patch be refused.
    patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
    patch.set("status", client.getKubernetesSerialization().convertValue(status, ObjectNode.class));
    client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .subresource("status")
        .patch(MERGE, patch.toString());
  }

  /** Confirms that a Pod which is being deleted has ended. */
  void confirmDeletion(Pod pod) {
    ObjectNode options = json.createObjectNode();
    options.put("apiVersion", "v1").put("kind", "DeleteOptions").put("gracePeriodSeconds", 0);
    options.putObject("preconditions").put("uid", pod.getMetadata().getUid());
    client.raw(path(pod), "DELETE", options);
  }

  /** Creates an Event about a Pod; failures are ignored. */
  void warn(Pod pod, String reason, String message) {
    String now = Instant.now().truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString();
    try {
      client
          .resource(
              new EventBuilder()
                  .withNewMetadata()
                  .withGenerateName(pod.getMetadata().getName() + ".")
                  .withNamespace(pod.getMetadata().getNamespace())
                  .endMetadata()
                  .withInvolvedObject(
                      new ObjectReferenceBuilder()
                          .withApiVersion("v1")
                          .withKind("Pod")
                          .withName(pod.getMetadata().getName())
                          .withNamespace(pod.getMetadata().getNamespace())
                          .withUid(pod.getMetadata().getUid())
                          .build())
                  .withType("Warning")
                  .withReason(reason)
                  .withMessage(message)
                  .withCount(1)
                  .withFirstTimestamp(now)
                  .withLastTimestamp(now)
                  .withNewSource("kubelet", NODE)
                  .build())
          .create();
    } catch (KubernetesClientException e) {
      LOG.debug("An Event was not written: {}", e.getMessage());
    }
  }

  private static String path(Pod pod) {
    return "/api/v1/namespaces/%s/pods/%s"
        .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
  }
}
