package dev.assay.operator.pool;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.kubernetes.UserIdHolders;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.PoolCensus.Role;
import dev.assay.operator.pool.PoolPlanner.Need;
import dev.assay.operator.pool.PoolView.Owner;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Finds out what all pools have and need, and has Pods that serve none removed. */
final class PoolSurvey {
  private final ServedNamespaces namespaces;
  private final PoolTemplates templates;
  private final PoolCensus census;
  private final PoolStarts starts;
  private final PoolHistory history;
  private final Clock clock;

  PoolSurvey(
      ServedNamespaces namespaces,
      PoolTemplates templates,
      PoolCensus census,
      PoolStarts starts,
      PoolHistory history,
      Clock clock) {
    this.namespaces = namespaces;
    this.templates = templates;
    this.census = census;
    this.starts = starts;
    this.history = history;
    this.clock = clock;
  }

  /**
   * What a round has found.
   *
   * @param replaced the memory of Pods that are still to be replaced, by namespace
   */
  record Found(List<Pool> pools, Map<String, Long> replaced) {
    void toBeReplaced(String namespace, long bytes) {
      replaced.merge(namespace, bytes, Long::sum);
    }
  }

  /** Looks at all pools, and forgets those of classes that are gone. */
  Found of(PoolView view) {
    Predicate<PoolKey> isGone = history.classesAre(view.classes());
    templates.forget(isGone);
    starts.forget(isGone);
    starts.listed(view.pods());
    UserIdHolders holders = UserIdHolders.of(view.pods());
    Map<Owner, List<Pod>> warm = view.warm().stream().collect(groupingBy(Owner::of));
    Map<Owner, List<Pod>> members =
        view.members().stream().collect(groupingBy(Owner::of, HashMap::new, toList()));
    Found found = new Found(new ArrayList<>(), new HashMap<>());
    for (RunNamespace namespace : namespaces.served()) {
      for (RunClass runClass : view.classes()) {
        Owner owner = new Owner(namespace.name(), runClass.getMetadata().getUid());
        look(
            found,
            namespace,
            runClass,
            members.getOrDefault(owner, List.of()),
            warm.getOrDefault(owner, List.of()),
            holders);
        members.remove(owner);
      }
    }
    removePodsOfNoClass(members.values());
    return found;
  }

  /**
   * A few of each namespace, so that those of one, which anybody may have created, hold up none.
   */
  private void removePodsOfNoClass(Collection<List<Pod>> left) {
    left.stream()
        .flatMap(List::stream)
        .collect(groupingBy(pod -> pod.getMetadata().getNamespace()))
        .values()
        .forEach(
            pods -> {
              int unused = census.removeStale(pods, List.of());
            });
  }

  /** Takes stock of a class in a namespace; a failure of one does not stop the others. */
  private void look(
      Found found,
      RunNamespace namespace,
      RunClass runClass,
      List<Pod> members,
      List<Pod> warm,
      UserIdHolders holders) {
    Set<String> hashes = new HashSet<>();
    boolean complete = true;
    long podBytes = 0;
    for (Program program : programs(namespace, runClass.getSpec())) {
      try {
        PoolTemplate template = templates.of(namespace, runClass, program);
        hashes.add(template.hash());
        podBytes = template.memoryBytes();
        PoolCensus.Found pods = census.of(template, template.made(members), holders);
        found.pools().add(pool(template, namespace, runClass, pods));
        found.toBeReplaced(namespace.name(), pods.count(Role.AGING) * podBytes);
      } catch (RuntimeException e) {
        complete = false;
        starts.rejected(
            new PoolKey(namespace.name(), runClass.getMetadata().getName(), program), e.toString());
      }
    }
    if (complete) {
      int left =
          census.removeStale(
              members.stream().filter(pod -> !hashes.contains(PoolTemplate.hashOf(pod))).toList(),
              warm);
      found.toBeReplaced(namespace.name(), left * podBytes);
    }
  }

  private Pool pool(
      PoolTemplate template, RunNamespace namespace, RunClass runClass, PoolCensus.Found pods) {
    PoolKey key = template.key();
    Instant now = clock.instant();
    RunClassSpec.WarmPoolLimits limits = runClass.getSpec().warmPoolLimits();
    Arrivals arrivals = history.arrivals(key);
    return new Pool(
        template,
        namespace,
        pods,
        census.withheld(pods),
        starts.unlisted(template.hash()),
        new Need(
            key,
            PoolPlanner.target(limits, arrivals, starts.time(key), now),
            limits.min(),
            template.memoryBytes(),
            arrivals.rate(now)),
        arrivals,
        history.counts(key));
  }

  /** Those that have a pool for a class in a namespace. */
  private static List<Program> programs(RunNamespace namespace, RunClassSpec spec) {
    List<Language> languages = spec.languages();
    return !spec.warmPoolLimits().exist() || !spec.allows(namespace.name()) || languages == null
        ? List.of()
        : languages.stream()
            .filter(language -> language != Language.UNKNOWN)
            .map(Program::of)
            .distinct()
            .toList();
  }
}
