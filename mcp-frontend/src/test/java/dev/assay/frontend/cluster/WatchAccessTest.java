package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.frontend.config.InvalidConfigException;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Against scripted answers. */
@Tag("slow")
@EnableKubernetesMockClient(https = false)
class WatchAccessTest {
  private static final String PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesMockServer server;

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  private final List<String> asked = new ArrayList<>();

  @Test
  void toolServersAreAskedForInEachNamespace() {
    allow(attributes -> true);

    WatchAccess.checkToolServers(client, List.of("runs", "other"));

    assertThat(asked)
        .containsExactly(
            "list toolservers.assay.dev in runs",
            "watch toolservers.assay.dev in runs",
            "list toolservers.assay.dev in other",
            "watch toolservers.assay.dev in other");
  }

  @Test
  void thePermissionThatIsMissingIsNamed() {
    allow(attributes -> attributes.getVerb().equals("list"));

    assertThatThrownBy(() -> WatchAccess.checkToolServers(client, List.of("runs")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(
            "codeExecution.enabled requires the permission to watch toolservers.assay.dev in"
                + " namespace 'runs': add it to the Role of the front end");
  }

  @Test
  void anApiServerThatCannotTellDoesNotKeepTheFrontEndFromStarting() {
    server
        .expect()
        .post()
        .withPath(PATH)
        .andReturn(500, new StatusBuilder().withStatus("Failure").withCode(500).build())
        .always();

    assertThatCode(() -> WatchAccess.checkToolServers(client, List.of("runs")))
        .doesNotThrowAnyException();
  }

  private void allow(Predicate<ResourceAttributes> allowed) {
    server
        .expect()
        .post()
        .withPath(PATH)
        .andReply(
            201,
            request -> {
              SelfSubjectAccessReview review =
                  Serialization.unmarshal(
                      request.getBody().readUtf8(), SelfSubjectAccessReview.class);
              ResourceAttributes attributes = review.getSpec().getResourceAttributes();
              asked.add(
                  "%s %s.%s in %s"
                      .formatted(
                          attributes.getVerb(),
                          attributes.getResource(),
                          attributes.getGroup(),
                          attributes.getNamespace()));
              return new SelfSubjectAccessReviewBuilder(review)
                  .withNewStatus()
                  .withAllowed(allowed.test(attributes))
                  .endStatus()
                  .build();
            })
        .always();
  }
}
