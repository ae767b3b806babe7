package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallRun;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.Text;
import java.util.Optional;

/** The one argument of the tools that work on a run. */
final class NamedRun {
  /** Its name. */
  static final Parameter<String> NAME =
      Parameter.required("name", ArgumentTypes.text(new Limit(253)));

  private NamedRun() {}

  /** The run of a name, if the caller may read it. */
  static Optional<AnalyticsRun> find(String name, RunGateway runs, CallContext call) {
    if (!RunNames.isValid(name)) {
      return Optional.empty();
    }
    call.run().set(CallRun.named(name));
    return runs.read(call.identity(), name);
  }

  static Reply notThere(String name) {
    return Reply.executionError(
        "KeyError",
        "There is no run '" + Text.oneLine(name, 80) + "'. list_runs() lists the existing ones.");
  }
}
