package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.function.Consumer;

/** Lists with pagination. */
public final class Pages {
  private static final long PAGE = 500;

  private Pages() {}

  /** Reads all objects from the API server, page by page. */
  public static <R extends HasMetadata> void forEach(
      Listable<? extends KubernetesResourceList<R>> objects, Consumer<R> consumer) {
    String next = null;
    do {
      KubernetesResourceList<R> page =
          objects.list(new ListOptionsBuilder().withLimit(PAGE).withContinue(next).build());
      page.getItems().forEach(consumer);
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
  }
}
