package dev.assay.local.api.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** All resources that a server serves. */
public final class ResourceDefinitions {
  private final List<ResourceDefinition> all;

  private ResourceDefinitions(List<ResourceDefinition> all) {
    this.all = List.copyOf(all);
  }

  /** Kubernetes' own resources, and others. */
  public static ResourceDefinitions withBuiltIn(List<ResourceDefinition> others) {
    List<ResourceDefinition> all = new ArrayList<>(BuiltInResources.all());
    all.addAll(others);
    return new ResourceDefinitions(all);
  }

  /** All of them. */
  public List<ResourceDefinition> all() {
    return all;
  }

  /** Those of one group and version. */
  public List<ResourceDefinition> of(String group, String version) {
    return all.stream()
        .filter(one -> one.group().equals(group) && one.version().equals(version))
        .toList();
  }

  /** The one of that plural name. */
  public Optional<ResourceDefinition> find(String group, String version, String plural) {
    return of(group, version).stream()
        .filter(one -> one.names().plural().equals(plural))
        .findFirst();
  }

  /**
   * The one of that plural name in the core group.
   *
   * @throws IllegalArgumentException where there is none
   */
  public ResourceDefinition core(String plural) {
    return find("", "v1", plural)
        .orElseThrow(() -> new IllegalArgumentException("Not served: " + plural));
  }

  /** All groups but the core group. */
  public Set<String> groups() {
    Set<String> groups = new TreeSet<>();
    all.forEach(one -> groups.add(one.group()));
    groups.remove("");
    return groups;
  }

  /** The version of a group; each has one. */
  public Optional<String> versionOf(String group) {
    return all.stream()
        .filter(one -> one.group().equals(group))
        .map(ResourceDefinition::version)
        .findFirst();
  }
}
