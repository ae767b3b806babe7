package dev.assay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A page is in memory whole: an operator that lists without a limit can be ended by its users. */
@Tag("slow")
@EnableKubernetesMockClient(crud = true)
class PaginationTest {
  private static final List<String> LISTED =
      List.of("analyticsruns", "datasets", "networkpolicies", "pods", "runclasses");

  @SuppressWarnings("NullAway.Init") // The extension sets both.
  private KubernetesMockServer server;

  @SuppressWarnings("NullAway.Init")
  private KubernetesClient client;

  @Test
  @Timeout(60)
  void theListsReadAtStartHaveALimit(@TempDir Path outputs) throws Exception {
    AssayOperator operator = AssayOperatorTest.operator(client, outputs);
    Map<String, String> lists = new TreeMap<>();
    try {
      operator.start();
      while (true) {
        boolean haveAll = lists.keySet().containsAll(LISTED);
        RecordedRequest request = server.takeRequest(haveAll ? 2 : 20, TimeUnit.SECONDS);
        if (request == null) {
          break;
        }
        String path = request.getPath();
        String kind = path.replaceAll("[?].*", "").replaceAll(".*/", "");
        if (request.getMethod().equals("GET")
            && LISTED.contains(kind)
            && !path.contains("watch=true")) {
          lists.merge(kind, path, (known, other) -> other.contains("limit=") ? known : other);
        }
      }
    } finally {
      operator.close();
    }
    assertThat(lists).containsOnlyKeys(LISTED);
    assertThat(lists.values()).allMatch(path -> path.contains("limit="));
  }
}
