package dev.assay.frontend.cluster;

import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.script.StoredScript;
import dev.assay.frontend.script.StoredScripts;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scripts in ConfigMaps, read from the API server whenever one is named: a change counts from the
 * next call on, and nobody watches what may be a megabyte each.
 */
public final class ClusterScripts implements StoredScripts {
  private static final Logger log = LoggerFactory.getLogger(ClusterScripts.class);
  private static final Map<String, Language> ENDINGS =
      Map.of(".js", Language.JAVASCRIPT, ".ts", Language.TYPESCRIPT);

  /** A page is in memory whole. */
  private static final long PAGE = 4;

  private static final int MAX_PAGES = 64;

  private final KubernetesClient client;

  public ClusterScripts(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public List<StoredScript> list(String namespace, String wanted) {
    List<StoredScript> scripts = new ArrayList<>();
    @Nullable String next = null;
    int pages = 0;
    do {
      ConfigMapList page = page(namespace, next);
      page.getItems().forEach(one -> addTo(scripts, one, wanted));
      next = page.getMetadata().getContinue();
      pages++;
    } while (next != null && !next.isEmpty() && pages < MAX_PAGES);
    if (next != null && !next.isEmpty()) {
      log.warn(
          "namespace {} has more than {} ConfigMaps with the label {}; the others are ignored",
          namespace,
          PAGE * MAX_PAGES,
          LABEL);
    }
    scripts.sort(Comparator.comparing(StoredScript::name).thenComparing(StoredScript::configMap));
    return scripts;
  }

  private ConfigMapList page(String namespace, @Nullable String next) {
    ListOptions options = new ListOptionsBuilder().withLimit(PAGE).withContinue(next).build();
    return Api.call(
        () -> client.configMaps().inNamespace(namespace).withLabel(LABEL).list(options));
  }

  private static void addTo(List<StoredScript> scripts, ConfigMap from, String wanted) {
    @Nullable Map<String, String> data = from.getData();
    if (data == null) {
      return;
    }
    data.forEach(
        (key, code) -> {
          int end = key.lastIndexOf('.');
          @Nullable Language language = end < 1 ? null : ENDINGS.get(key.substring(end));
          if (language != null) {
            String name = key.substring(0, end);
            scripts.add(
                new StoredScript(
                    name,
                    language,
                    from.getMetadata().getName(),
                    name.equals(wanted) ? code : null));
          }
        });
  }
}
