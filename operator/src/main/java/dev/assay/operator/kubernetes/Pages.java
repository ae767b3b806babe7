package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads lists in pages. A page is in memory whole, as bytes and as objects: without a limit, a
 * caller who may create runs could make the operator run out of memory.
 */
public final class Pages {
  /** Objects in a page, of informers too. */
  public static final long SIZE = 32;

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

  /** All objects, where they are known to be few and small. */
  public static <R extends HasMetadata> List<R> all(
      Listable<? extends KubernetesResourceList<R>> objects) {
    List<R> all = new ArrayList<>();
    forEach(objects, all::add);
    return all;
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
      next = page.getMetadata() == null ? null : page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    return false;
  }
}
