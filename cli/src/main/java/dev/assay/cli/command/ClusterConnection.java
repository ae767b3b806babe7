package dev.assay.cli.command;

import dev.assay.api.v1alpha1.KindMapper;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.local.Shell;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options for the Kubernetes API, whose address and credentials are those of kubectl. */
final class ClusterConnection {
  /** Retries of a request: less than a second in total, since a person waits. */
  private static final int MAX_RETRIES = 3;

  @Spec(Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "the kubeconfig file (default: KUBECONFIG, or ~/.kube/config)")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "the context of the kubeconfig (default: its current context)")
  private @Nullable String context;

  /** A client; the caller closes it. */
  KubernetesClient client() {
    @Nullable String wanted = context;
    Config config =
        kubeconfig == null
            ? Config.autoConfigure(wanted)
            : Config.fromKubeconfig(wanted, kubeconfig.toFile());
    if (wanted != null
        && config.getContexts().stream().noneMatch(known -> wanted.equals(known.getName()))) {
      CommandLine commandLine = spec == null ? new CommandLine(new Object()) : spec.commandLine();
      throw new ParameterException(
          commandLine,
          "the kubeconfig has no context '"
              + wanted
              + "'; 'kubectl config get-contexts' lists those that it has");
    }
    config.setRequestRetryBackoffLimit(MAX_RETRIES);
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withKubernetesSerialization(KindMapper.serialization())
        .build();
  }

  /** What became of a request, in the words of the API server where there are such. */
  ApiException failure(KubernetesClientException e) {
    String said = e.getStatus() == null ? null : e.getStatus().getMessage();
    if (said == null) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      said = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
    return ApiException.disconnected(
        "the request to the cluster failed (%s): check it with '%s'".formatted(said, check()), e);
  }

  /** A command that makes a request with the same address and credentials. */
  private String check() {
    StringBuilder command = new StringBuilder("kubectl");
    if (kubeconfig != null) {
      command.append(" --kubeconfig ").append(Shell.quoted(kubeconfig.toString()));
    }
    if (context != null) {
      command.append(" --context ").append(Shell.quoted(context));
    }
    return command.append(" version").toString();
  }
}
