package dev.assay.operator.run.machine;

import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Hello;

/**
 * The runner that a run is to be started in.
 *
 * @param binding names run, Pod and runner process in each request
 * @param hello what the runner answered
 */
public record Target(Binding binding, Hello hello) {
  boolean canRefuse() {
    return hello.supports(Hello.REFUSE);
  }
}
