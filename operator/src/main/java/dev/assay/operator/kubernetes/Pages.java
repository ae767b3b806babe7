package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Lists with pagination. A page is in memory whole, as bytes and as objects, and an object can have
 * a megabyte: without a limit, whoever may create runs could end each operator that lists them.
 */
public final class Pages {
  /** How many objects one answer of the API server has at most, in lists and in informers. */
  public static final long SIZE = 64;

  private Pages() {}

  /** Reads all objects from the API server, page by page. */
  public static <R extends HasMetadata> void forEach(
      Listable<? extends KubernetesResourceList<R>> objects, Consumer<R> consumer) {
    anyMatch(
        objects,
        object -> {
          consumer.accept(object);
          return false;
        });
  }

  /** Whether one of the objects matches; reads no more pages than that takes. */
  public static <R extends HasMetadata> boolean anyMatch(
      Listable<? extends KubernetesResourceList<R>> objects, Predicate<R> predicate) {
    String next = null;
    do {
      KubernetesResourceList<R> page =
          objects.list(new ListOptionsBuilder().withLimit(SIZE).withContinue(next).build());
      for (R object : page.getItems()) {
        if (predicate.test(object)) {
          return true;
        }
      }
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    return false;
  }
}
