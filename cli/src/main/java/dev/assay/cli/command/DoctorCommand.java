package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.cluster.ClusterCheck;
import dev.assay.cli.cluster.Finding;
import dev.assay.cli.local.Machine;
import dev.assay.cli.python.PythonEnvironment;
import dev.assay.cli.text.CommandHints;
import dev.assay.cli.text.TerminalText;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks what local mode needs, code mode of an endpoint, or an installation in a cluster. */
@Command(
    name = "doctor",
    description =
        "Checks what local mode needs, and says how to get what is missing; or checks code mode of"
            + " an endpoint, or an installation in a cluster.",
    mixinStandardHelpOptions = true)
public final class DoctorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private ClusterConnection clusterConnection = new ClusterConnection();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "text",
      description = "text or json (default: text)")
  private Output.Form form = Output.Form.text;

  @Option(
      names = "--repair",
      description = "delete the Python libraries; the next start fetches them again")
  private boolean repair;

  @Option(
      names = "--code-mode",
      description =
          "check code mode of the endpoint instead, with four runs: what the guard refuses, that"
              + " there is no network, and that the library is there")
  private boolean codeMode;

  @Option(
      names = "--cluster",
      description =
          "check an installation in a cluster instead, by what the Kubernetes API shows with your"
              + " rights; nothing is changed")
  private boolean cluster;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = "assay-system",
      description = "with --cluster: the namespace of the release (default: assay-system)")
  private String namespace = "assay-system";

  /** Whether somebody listens; nobody has to for this machine to be well. */
  private record Listening(boolean answers, String sentence) {}

  @Override
  public Integer call() throws MachineException, ApiException, InterruptedException, IOException {
    checkOptions();
    if (codeMode) {
      return checkCodeMode();
    }
    if (cluster) {
      return checkCluster();
    }
    if (repair) {
      PythonEnvironment.discard();
      spec.commandLine().getErr().println("removed " + PythonEnvironment.location());
    }
    List<Machine.Finding> findings = Machine.examine();
    Listening listening = listening();
    if (form == Output.Form.json) {
      Output.print(spec, json(findings, listening));
    } else {
      print(findings, listening);
    }
    return findings.stream().anyMatch(finding -> finding.level() == Machine.Level.MISSING)
        ? ExitCode.MACHINE
        : ExitCode.DONE;
  }

  private void checkOptions() {
    if (codeMode && cluster) {
      throw wrong("--code-mode and --cluster are two checks: choose one");
    }
    if (repair && (codeMode || cluster)) {
      throw wrong("--repair cannot be combined with --cluster or --code-mode");
    }
    var given = spec.commandLine().getParseResult();
    if (!cluster
        && Stream.of("--namespace", "--kubeconfig", "--context")
            .anyMatch(given::hasMatchedOption)) {
      throw wrong("--namespace, --kubeconfig and --context require --cluster");
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private int checkCodeMode() throws ApiException, InterruptedException, IOException {
    List<CodeModeCheck.Finding> findings;
    try (AssayClient client = connection.client()) {
      findings = new CodeModeCheck(client).findings();
    }
    report(
        findings,
        (finding, json) ->
            json.put("name", finding.name())
                .put("ok", finding.good())
                .put("message", finding.sentence()),
        finding ->
            (finding.good() ? "ok       " : "failed   ")
                + finding.name()
                + ": "
                + finding.sentence());
    return findings.stream().allMatch(CodeModeCheck.Finding::good)
        ? ExitCode.DONE
        : ExitCode.PLATFORM;
  }

  private int checkCluster() throws ApiException {
    List<Finding> findings;
    try (KubernetesClient client = clusterConnection.client()) {
      findings = new ClusterCheck(client, namespace, InstantSource.system()).findings();
    } catch (KubernetesClientException e) {
      throw clusterConnection.failure(e);
    }
    report(
        findings,
        (finding, json) ->
            json.put("level", level(finding))
                .put("ok", finding.level() != Finding.Level.FAILED)
                .put("message", finding.sentence()),
        finding -> "%-9s".formatted(level(finding)) + finding.sentence());
    return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.FAILED)
        ? ExitCode.PLATFORM
        : ExitCode.DONE;
  }

  /** Prints findings in the form that was asked for. */
  private <T> void report(
      List<T> findings, BiConsumer<T, ObjectNode> fields, Function<T, String> line) {
    if (form == Output.Form.json) {
      ObjectNode json = AssayClient.object();
      ArrayNode array = json.putArray("findings");
      findings.forEach(finding -> fields.accept(finding, array.addObject()));
      Output.print(spec, json);
    } else {
      PrintWriter out = spec.commandLine().getOut();
      findings.forEach(finding -> out.println(TerminalText.printable(line.apply(finding))));
    }
  }

  private static String level(Finding finding) {
    return finding.level().name().toLowerCase(Locale.ROOT);
  }

  private void print(List<Machine.Finding> findings, Listening listening) {
    PrintWriter out = spec.commandLine().getOut();
    for (Machine.Finding finding : findings) {
      String level = finding.level().name().toLowerCase(Locale.ROOT);
      out.println(String.format("%-9s", level) + finding.sentence());
    }
    out.println((listening.answers ? "ok       " : "note     ") + listening.sentence);
  }

  private ObjectNode json(List<Machine.Finding> findings, Listening listening) {
    ObjectNode json = AssayClient.object();
    ArrayNode array = json.putArray("findings");
    for (Machine.Finding finding : findings) {
      array
          .addObject()
          .put("ok", finding.level() != Machine.Level.MISSING)
          .put("message", finding.sentence());
    }
    json.putObject("endpoint")
        .put("uri", connection.endpoint().uri().toString())
        .put("answers", listening.answers)
        .put("message", listening.sentence);
    return json;
  }

  private Listening listening() throws InterruptedException {
    try (AssayClient client = connection.client()) {
      var unused = client.runs(Map.of("limit", "1"));
      return new Listening(true, connection.endpoint().uri() + " answers");
    } catch (ApiException e) {
      return new Listening(false, CommandHints.of(String.valueOf(e.getMessage())));
    }
  }
}
