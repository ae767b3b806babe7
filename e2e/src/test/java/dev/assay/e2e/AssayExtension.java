package dev.assay.e2e;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives every scenario the one {@link Assay} of the test run: the installed one that dev/e2e names,
 * or one in this process.
 */
final class AssayExtension implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Assay.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(AssayExtension.class))
        .computeIfAbsent(Assay.class, type -> assay(), Assay.class);
  }

  private static Assay assay() {
    if (Installation.isInEnvironment()) {
      return new Assay(Installation.fromEnvironment(), () -> {});
    }
    LocalInstallation local = LocalInstallation.start();
    return new Assay(local.installation(), local::close);
  }
}
