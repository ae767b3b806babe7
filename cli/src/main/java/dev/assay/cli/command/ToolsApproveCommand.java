package dev.assay.cli.command;

import dev.assay.api.v1alpha1.MemberPatch;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.text.TerminalText;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Approves definitions of tools. An API key cannot do that: it takes the rights of kubectl. */
@Command(
    name = "approve",
    description = "Approves the definition of a tool, with your rights in the cluster.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "It writes spec.approvedTools of the ToolServer. Read the definition before, with",
      "'assay tools describe SERVER TOOL': its digest says that it is that one and no other."
    })
public final class ToolsApproveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterConnection cluster = new ClusterConnection();

  @Parameters(index = "0", paramLabel = "SERVER", description = "the ToolServer")
  private String server = "";

  @Parameters(index = "1", paramLabel = "TOOL", description = "the tool")
  private String tool = "";

  @Option(
      names = "--digest",
      required = true,
      paramLabel = "SHA256",
      description = "of the definition, all 64 digits, as 'assay tools describe' shows it")
  private String digest = "";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = "assay-runs",
      description = "the run namespace (default: assay-runs)")
  private String namespace = "assay-runs";

  @Override
  public Integer call() throws ApiException {
    try (KubernetesClient client = cluster.client()) {
      Resource<ToolServer> resource =
          client.resources(ToolServer.class).inNamespace(namespace).withName(server);
      @Nullable ToolServer found = resource.get();
      if (found == null) {
        throw new ParameterException(
            spec.commandLine(), "there is no ToolServer " + server + " in " + namespace);
      }
      ToolServerSpec before = found.getSpec();
      ToolServerSpec approving = before.withApprovedTools(ToolApprovals.of(found, tool, digest));
      resource.patch(
          PatchContext.of(PatchType.JSON),
          MemberPatch.deep(found.getMetadata().getResourceVersion(), "/spec", before, approving)
              .toString());
      spec.commandLine()
          .getOut()
          .println("approved " + TerminalText.printable(tool) + " " + digest);
      return ExitCode.DONE;
    } catch (ToolApprovals.NotApprovableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (KubernetesClientException e) {
      throw cluster.failure(e);
    }
  }
}
