package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.URI;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends JSON patches, each as one request. The client's own patch method reads the object first,
 * which would double the requests of a run.
 */
public final class JsonPatcher {
  private static final String CONTENT_TYPE = "application/json-patch+json";
  private static final int FIRST_ERROR = 400;

  private final KubernetesClient client;

  public JsonPatcher(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Patches an object.
   *
   * @param object identifies the object; only its kind, name and namespace are used
   * @param subresource such as {@code status}; the object itself when absent
   * @return the object after the patch
   * @throws KubernetesClientException if the API server rejects the request or is unavailable
   */
  public <R extends HasMetadata> R patch(
      R object, @Nullable String subresource, ArrayNode operations) {
    String path = ApiPaths.of(object) + (subresource == null ? "" : "/" + subresource);
    HttpResponse<String> response = send(client.getMasterUrl() + path, operations.toString());
    if (response.code() >= FIRST_ERROR) {
      throw new KubernetesClientException(status(response));
    }
    @SuppressWarnings("unchecked")
    Class<R> kind = (Class<R>) object.getClass();
    return client.getKubernetesSerialization().unmarshal(response.body(), kind);
  }

  private HttpResponse<String> send(String uri, String patch) {
    var request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(URI.create(uri))
            .method("PATCH", CONTENT_TYPE, patch)
            .timeout(client.getConfiguration().getRequestTimeout(), TimeUnit.MILLISECONDS)
            .build();
    try {
      return client.getHttpClient().sendAsync(request, String.class).join();
    } catch (CompletionException e) {
      throw new KubernetesClientException("The API server is unavailable", e);
    }
  }

  private static Status status(HttpResponse<String> response) {
    try {
      Status status = Serialization.unmarshal(response.body(), Status.class);
      if (status != null && status.getCode() != null) {
        return status;
      }
    } catch (RuntimeException e) {
      // A proxy in front of the API server responded; its status code is sufficient.
    }
    return new StatusBuilder().withCode(response.code()).build();
  }
}
