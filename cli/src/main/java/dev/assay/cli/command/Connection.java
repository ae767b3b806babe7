package dev.assay.cli.command;

import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.LocalKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options for the endpoint. A key is never an argument, since other users could see it. */
final class Connection {
  @Spec(Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "the URL of Assay; by default ASSAY_ENDPOINT, or "
              + Endpoint.LOCAL
              + ", where local mode listens")
  private @Nullable String endpoint;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description =
          "a file with the API key; the key itself may be in ASSAY_API_KEY. Where neither is given,"
              + " local mode's own key goes to this user's servers at loopback addresses")
  private @Nullable Path keyFile;

  /** A client; the caller closes it. */
  AssayClient client() {
    return new AssayClient(endpoint());
  }

  Endpoint endpoint() {
    String address = endpoint == null ? variable("ASSAY_ENDPOINT") : endpoint;
    try {
      Endpoint named = Endpoint.of(address == null ? Endpoint.LOCAL : address, key());
      return named.key() == null && named.isLoopback()
          ? LocalKey.ofUser().read().map(named::withLocalKey).orElse(named)
          : named;
    } catch (IllegalArgumentException | IOException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable String key() {
    if (keyFile == null) {
      return variable("ASSAY_API_KEY");
    }
    try {
      String key = Files.readString(keyFile).strip();
      if (!key.matches("[\\x21-\\x7e]+")) {
        throw wrong("--key-file: " + keyFile + " does not hold one key and nothing else");
      }
      return key;
    } catch (IOException e) {
      throw wrong("--key-file: " + keyFile + " cannot be read");
    }
  }

  private ParameterException wrong(String message) {
    CommandLine commandLine = spec == null ? new CommandLine(new Object()) : spec.commandLine();
    return new ParameterException(commandLine, message);
  }

  private static @Nullable String variable(String name) {
    String value = System.getenv(name);
    return value == null || value.isBlank() ? null : value;
  }
}
