package dev.assay.local.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A container that shares this machine's files: its own paths do not exist there, so its
 * environment names the directories that stand for them. Nothing is read-only then.
 *
 * @param spec without mounts
 * @param links symbolic links to make first, by the path of each
 */
record PlainPaths(ContainerSpec spec, Map<Path, Path> links) {
  private static final String DATASETS = "/datasets/";

  /** The variables by which the runner is told where each of its directories is. */
  private static final Map<String, Variable> VARIABLES =
      Map.of(
          "/datasets", new Variable("ASSAY_DATASETS_DIR", ""),
          "/run/assay", new Variable("ASSAY_SOCKET", "launcher.sock"),
          "/scratch", new Variable("ASSAY_SCRATCH_DIR", ""),
          "/snapshot", new Variable("ASSAY_SNAPSHOT_DIR", ""),
          "/snapshots", new Variable("ASSAY_SNAPSHOTS_DIR", ""),
          "/source", new Variable("ASSAY_SOURCE_DIR", ""),
          "/workspace", new Variable("ASSAY_WORKSPACE_DIR", ""));

  private record Variable(String name, String file) {}

  static PlainPaths of(ContainerSpec spec) {
    List<Mount.Bind> binds = new ArrayList<>();
    Map<Path, Path> links = new LinkedHashMap<>();
    Map<String, String> environment = new LinkedHashMap<>();
    Path datasets = spec.directoryOfItsOwn().resolve("datasets");
    for (Mount mount : spec.mounts()) {
      if (!(mount instanceof Mount.Bind bind)) {
        throw new IllegalArgumentException("not a directory of this machine: " + mount.path());
      }
      binds.add(bind);
      Variable variable = VARIABLES.get(bind.path());
      if (variable != null) {
        environment.put(variable.name(), bind.source().resolve(variable.file()).toString());
      } else if (bind.path().startsWith(DATASETS)) {
        links.put(datasets.resolve(bind.path().substring(DATASETS.length())), bind.source());
        environment.put("ASSAY_DATASETS_DIR", datasets.toString());
      }
    }
    spec.environment().forEach((name, value) -> environment.put(name, rewrite(value, binds)));
    ContainerSpec rewritten =
        new ContainerSpec(
            spec.argv(),
            environment,
            rewrite(spec.directory(), binds),
            List.of(),
            List.of(),
            spec.network(),
            spec.user(),
            spec.memoryLimit(),
            spec.directoryOfItsOwn());
    return new PlainPaths(rewritten, links);
  }

  private static String rewrite(String value, List<Mount.Bind> binds) {
    for (Mount.Bind bind : binds) {
      if (value.equals(bind.path()) || value.startsWith(bind.path() + "/")) {
        return bind.source() + value.substring(bind.path().length());
      }
    }
    return value;
  }
}
