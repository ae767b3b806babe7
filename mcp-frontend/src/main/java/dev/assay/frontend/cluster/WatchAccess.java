package dev.assay.frontend.cluster;

import dev.assay.frontend.config.InvalidConfigException;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this process may watch the tool servers. Without the permission the cache stays empty,
 * and agents would read that there are no tools.
 */
public final class WatchAccess {
  private static final Logger log = LoggerFactory.getLogger(WatchAccess.class);
  private static final String GROUP = "assay.dev";
  private static final String TOOL_SERVERS = "toolservers";

  private WatchAccess() {}

  /**
   * Asks for the permissions in each namespace.
   *
   * @throws InvalidConfigException if one of them is missing
   */
  public static void checkToolServers(KubernetesClient client, Collection<String> namespaces) {
    for (String namespace : namespaces) {
      for (String verb : List.of("list", "watch")) {
        if (isDenied(client, namespace, verb)) {
          throw new InvalidConfigException(
              "codeExecution.enabled requires the permission to %s %s.%s in namespace '%s':"
                      .formatted(verb, TOOL_SERVERS, GROUP, namespace)
                  + " add it to the Role of the front end");
        }
      }
    }
  }

  /** An API server that cannot tell now is asked again by the watch. */
  private static boolean isDenied(KubernetesClient client, String namespace, String verb) {
    SelfSubjectAccessReview review =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withGroup(GROUP)
            .withResource(TOOL_SERVERS)
            .withNamespace(namespace)
            .withVerb(verb)
            .endResourceAttributes()
            .endSpec()
            .build();
    try {
      SelfSubjectAccessReview answer =
          client.authorization().v1().selfSubjectAccessReview().create(review);
      return answer.getStatus() != null && !Boolean.TRUE.equals(answer.getStatus().getAllowed());
    } catch (KubernetesClientException e) {
      log.warn("whether tool servers can be watched is not known: {}", e.getMessage());
      return false;
    }
  }
}
