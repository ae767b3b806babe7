package dev.assay.frontend.toolserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.SharedAccess;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ToolCatalogsTest {
  private static final List<ToolPermission> READ = List.of(ToolPermission.READ);
  private static final Identity CALLER = new Identity("alice", "runs");

  @Test
  void pythonMayWriteWhereAClassNamesServersAndNotOnlyToolsThatRead() {
    assertThat(mayWrite(spec -> spec)).as("no tools").isFalse();
    assertThat(mayWrite(tools(null, null))).as("no servers, so none for Python").isFalse();
    assertThat(mayWrite(tools(List.of(), null))).isFalse();
    assertThat(mayWrite(tools(List.of("store"), READ))).isFalse();
    assertThat(mayWrite(tools(List.of("store"), List.of()))).isFalse();
    assertThat(mayWrite(tools(List.of("store"), null))).isTrue();
    assertThat(mayWrite(tools(List.of("*"), List.of(ToolPermission.WRITE)))).isTrue();
    assertThat(mayWrite(tools(List.of("*"), List.of(ToolPermission.DESTRUCTIVE)))).isTrue();
  }

  @Test
  void aClassThatTheCallersPythonCannotUseDoesNotCount() {
    UnaryOperator<RunClassSpec> tools = tools(List.of("*"), null);
    assertThat(mayWrite(spec -> tools.apply(spec).withAllowedNamespaces(List.of("other"))))
        .isFalse();
    assertThat(mayWrite(spec -> tools.apply(spec).withLanguages(List.of(Language.TYPESCRIPT))))
        .isFalse();
    assertThat(mayWrite(spec -> tools.apply(spec).withAllowedNamespaces(List.of("runs")))).isTrue();
  }

  @Test
  void whatTheKeyDoesNotGrantDoesNotCount() {
    UnaryOperator<RunClassSpec> tools = tools(List.of("*"), null);
    assertThat(mayWrite(tools, granted(null, READ))).isFalse();
    assertThat(mayWrite(tools, granted(List.of(), null))).isFalse();
    assertThat(mayWrite(tools, granted(List.of("store"), null))).isTrue();
  }

  private static boolean mayWrite(UnaryOperator<RunClassSpec> change) {
    return mayWrite(change, CALLER);
  }

  private static boolean mayWrite(UnaryOperator<RunClassSpec> change, Identity caller) {
    RunClass runClass = FakeRunClasses.runClass("tools", Purpose.Run, "runner:1", 30, 60);
    runClass.setSpec(change.apply(runClass.getSpec()));
    return new ToolCatalogs(
            CodeExecution.on(), ToolServers.NONE, FakeRunClasses.usual().with(runClass))
        .pythonMayWrite(caller);
  }

  private static UnaryOperator<RunClassSpec> tools(
      @Nullable List<String> servers, @Nullable List<ToolPermission> permissions) {
    return spec -> spec.withTools(new ClassTools(servers, permissions, null, null));
  }

  private static Identity granted(
      @Nullable List<String> servers, @Nullable List<ToolPermission> permissions) {
    return new Identity("alice", "runs", new ToolGrants(servers, permissions), SharedAccess.NONE);
  }
}
