package dev.assay.frontend.cluster;

import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.script.StoredScript;
import dev.assay.frontend.script.StoredScripts;
import dev.assay.frontend.watch.Stopwatch;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scripts in ConfigMaps, read from the API server whenever one is named: nobody watches what may be
 * a megabyte each. The names of a namespace are listed by one caller at a time, and kept for a
 * moment, so that calls by name cost the API server one ConfigMap each; a name that is not among
 * them is looked for in a new list. Code is never kept.
 */
public final class ClusterScripts implements StoredScripts {
  private static final Logger log = LoggerFactory.getLogger(ClusterScripts.class);
  private static final Map<String, Language> ENDINGS =
      Map.of(".js", Language.JAVASCRIPT, ".ts", Language.TYPESCRIPT);

  private static final Duration KEPT = Duration.ofSeconds(1);

  /** A page is in memory whole. */
  private static final long PAGE = 4;

  private static final int MAX_PAGES = 64;

  private final KubernetesClient client;
  private final Duration time;
  private final Map<String, Names> names = new ConcurrentHashMap<>();

  /** The names of a namespace. */
  private static final class Names {
    private List<StoredScript> scripts = List.of();
    private @Nullable Stopwatch age;
  }

  public ClusterScripts(KubernetesClient client) {
    this(client, KEPT);
  }

  /**
   * Scripts whose names are kept for another time.
   *
   * @param time how long
   */
  ClusterScripts(KubernetesClient client, Duration time) {
    this.client = client;
    this.time = time;
  }

  @Override
  public List<StoredScript> list(String namespace, String wanted) {
    Stopwatch call = new Stopwatch();
    List<StoredScript> kept = withCode(namespace, names(namespace, time), wanted);
    if (wanted.isEmpty() || kept.stream().anyMatch(script -> script.code() != null)) {
      return kept;
    }
    // It may have been stored since. Calls that miss at the same time share one list.
    return withCode(namespace, names(namespace, call.elapsed()), wanted);
  }

  /** The scripts, of which the one that is wanted has its code, unless its name is not unique. */
  private List<StoredScript> withCode(String namespace, List<StoredScript> scripts, String wanted) {
    List<StoredScript> found = scripts.stream().filter(one -> one.name().equals(wanted)).toList();
    if (found.size() != 1) {
      return scripts;
    }
    StoredScript one = found.getFirst();
    Optional<StoredScript> read = read(namespace, one);
    return scripts.stream()
        .flatMap(script -> script.equals(one) ? read.stream() : Stream.of(script))
        .toList();
  }

  /** The names, listed at most so long ago. */
  private List<StoredScript> names(String namespace, Duration maxAge) {
    Names kept = names.computeIfAbsent(namespace, unused -> new Names());
    synchronized (kept) {
      if (kept.age == null || !kept.age.left(maxAge).isPositive()) {
        // Before the list is read: what is stored meanwhile may be missing.
        Stopwatch age = new Stopwatch();
        kept.scripts = listed(namespace);
        kept.age = age;
      }
      return kept.scripts;
    }
  }

  private List<StoredScript> listed(String namespace) {
    List<StoredScript> scripts = new ArrayList<>();
    @Nullable String next = null;
    int pages = 0;
    do {
      ConfigMapList page = page(namespace, options(next));
      page.getItems().forEach(one -> addTo(scripts, one));
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
    return List.copyOf(scripts);
  }

  private static ListOptions options(@Nullable String next) {
    return new ListOptionsBuilder().withLimit(PAGE).withContinue(next).build();
  }

  private ConfigMapList page(String namespace, ListOptions options) {
    return Api.call(
        () -> client.configMaps().inNamespace(namespace).withLabel(LABEL).list(options));
  }

  /** A script with its code; empty where it is not there any more. */
  private Optional<StoredScript> read(String namespace, StoredScript script) {
    // A list of one, since the front end may list ConfigMaps and not read any by its name.
    ListOptions options =
        new ListOptionsBuilder()
            .withFieldSelector("metadata.name=" + script.configMap())
            .withLimit(1L)
            .build();
    String key = script.name() + script.language().extension();
    return page(namespace, options).getItems().stream()
        .filter(one -> one.getMetadata().getName().equals(script.configMap()))
        .map(ConfigMap::getData)
        .filter(Objects::nonNull)
        .flatMap(data -> Optional.ofNullable(data.get(key)).stream())
        .findFirst()
        .map(code -> new StoredScript(script.name(), script.language(), script.configMap(), code));
  }

  private static void addTo(List<StoredScript> scripts, ConfigMap from) {
    @Nullable Map<String, String> data = from.getData();
    if (data == null) {
      return;
    }
    for (String key : data.keySet()) {
      int end = key.lastIndexOf('.');
      @Nullable Language language = end < 1 ? null : ENDINGS.get(key.substring(end));
      if (language != null) {
        scripts.add(
            new StoredScript(key.substring(0, end), language, from.getMetadata().getName(), null));
      }
    }
  }
}
