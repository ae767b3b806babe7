package dev.assay.cli.command;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.text.TerminalText;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Approves definitions of tools. An API key cannot do that: it takes the rights of kubectl. */
@Command(
    name = "approve",
    description =
        "Approves the definitions that a server lists now, with your rights in the cluster.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "It writes spec.approvedTools of the ToolServer. Read what is approved before:",
      "'assay tools describe SERVER' shows the tools, and the digests of their definitions."
    })
public final class ToolsApproveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "SERVER", description = "the ToolServer")
  private String server = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "TOOL",
      description = "the only tool to approve; all that it lists by default")
  private @Nullable String tool;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "of the cluster; by default KUBECONFIG, or ~/.kube/config")
  private @Nullable Path kubeconfig;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = "assay-runs",
      description = "the run namespace (default: assay-runs)")
  private String namespace = "assay-runs";

  @Override
  public Integer call() throws ApiException {
    Config config =
        kubeconfig == null
            ? Config.autoConfigure(null)
            : Config.fromKubeconfig(kubeconfig.toFile());
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      Resource<ToolServer> resource =
          client.resources(ToolServer.class).inNamespace(namespace).withName(server);
      @Nullable ToolServer found = resource.get();
      if (found == null) {
        throw new ParameterException(
            spec.commandLine(), "there is no ToolServer " + server + " in " + namespace);
      }
      ToolApprovals approvals = ToolApprovals.of(found, tool);
      if (!approvals.tools().isEmpty()) {
        found.setSpec(found.getSpec().withApprovedTools(approvals.approved()));
        client.resource(found).update(); // Of the version that was read.
      }
      show(approvals.tools());
      return ExitCode.DONE;
    } catch (ToolApprovals.NotApprovableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (KubernetesClientException e) {
      throw ApiException.disconnected(
          "the request to the cluster failed: " + String.valueOf(e.getMessage()), e);
    }
  }

  private void show(List<ToolState> approved) {
    PrintWriter out = spec.commandLine().getOut();
    if (approved.isEmpty()) {
      out.println("Everything is approved already.");
    }
    for (ToolState one : approved) {
      out.println("approved " + TerminalText.printable(one.name()) + " " + one.digest());
    }
  }
}
