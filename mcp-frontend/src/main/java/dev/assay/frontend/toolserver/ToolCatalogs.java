package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunClasses;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The servers and tools that scripts of each caller may call, now. */
public final class ToolCatalogs {
  private final CodeExecution settings;
  private final ToolServers servers;
  private final RunClasses classes;

  public ToolCatalogs(CodeExecution settings, ToolServers servers, RunClasses classes) {
    this.settings = settings;
    this.servers = servers;
    this.classes = classes;
  }

  /** Whether there are scripts at all. */
  public boolean isEnabled() {
    return settings.isEnabled();
  }

  /** The tools that a caller's scripts may call. */
  public ToolCatalog of(Identity caller) {
    return ToolCatalog.of(servers.list(caller.namespace()), access(caller));
  }

  /** The servers that a caller's scripts may call, in whatever state, by their names. */
  public List<ToolServer> servers(Identity caller) {
    ToolAccess access = access(caller);
    return servers.list(caller.namespace()).stream()
        .filter(server -> access.includes(server.getMetadata().getName()))
        .sorted(Comparator.comparing(server -> server.getMetadata().getName()))
        .toList();
  }

  /**
   * Whether Python of a caller may call tools that change something, in one of the classes that are
   * open to their namespace.
   */
  public boolean pythonMayWrite(Identity caller) {
    return classes.all().stream()
        .map(RunClass::getSpec)
        .filter(spec -> spec.purpose() == RunClassSpec.Purpose.Run)
        .filter(spec -> spec.allows(caller.namespace()) && spec.offers(Language.PYTHON))
        .filter(spec -> spec.offersToolsTo(Language.PYTHON))
        .anyMatch(spec -> new ToolAccess(spec.tools(), caller.grants()).mayIncludeWriting());
  }

  private ToolAccess access(Identity caller) {
    @Nullable ClassTools ofClass =
        classes.find(settings.runClassName()).map(found -> found.getSpec().tools()).orElse(null);
    return new ToolAccess(ofClass, caller.grants());
  }
}
