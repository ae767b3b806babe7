package dev.assay.cli.local;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.LocalKey;
import dev.assay.cli.text.Progress;
import dev.assay.operator.AssayOperator;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;

/** Local mode as the command shows it to a person. */
public final class LocalMode {
  /**
   * Options of the command.
   *
   * @param demo whether to make calls that show what it does
   * @param once whether to end after them
   * @param trustCode whether to serve although nothing isolates code here
   * @param command how this program is called
   */
  public record Options(boolean demo, boolean once, boolean trustCode, String command) {}

  private final LocalSettings settings;
  private final Options options;
  private final PrintStream out;
  private final Progress progress;

  public LocalMode(LocalSettings settings, Options options, PrintStream out, Progress progress) {
    this.settings = settings;
    this.options = options;
    this.out = out;
    this.progress = progress;
  }

  /**
   * Runs until the process is told to end, or the demonstration is over.
   *
   * @return the exit code
   */
  public int run() throws MachineException, ApiException, IOException, InterruptedException {
    AssayOperator.boundHeadersOfRunners();
    checkPort();
    if (settings.data() != null) {
      OfferedData.check(settings.data());
    }
    Sandbox sandbox = Sandbox.prepare(progress);
    out.println(sandbox.promise());
    if (!options.once && !options.trustCode) {
      sandbox.requireIsolation();
    }
    try (LocalAssay assay = LocalAssay.start(settings, sandbox.python(), sandbox.isolation())) {
      CountDownLatch ended = endWithTheProcess(assay);
      offerData(assay);
      out.printf("Assay serves %s/mcp and %s/api/v1%n%n", assay.endpoint(), assay.endpoint());
      if (options.demo) {
        boolean hasTools =
            settings.scripts().codeExecution().isEnabled()
                && settings.scripts().toolServers().contains(DemoServer.entry());
        Runnable awaitTools = hasTools ? () -> assay.awaitConnected(DemoServer.NAME) : null;
        new Demo(new Endpoint(assay.endpoint(), assay.key()), awaitTools, out).run();
      }
      if (options.once) {
        out.println();
        out.println("Next: 'assay local --data DIR' serves your own tables to agents.");
      } else {
        tellHowToUse(assay);
        ended.await();
      }
    }
    return ExitCode.DONE;
  }

  /** Ctrl-C and SIGTERM end the process by its shutdown hooks. */
  private static CountDownLatch endWithTheProcess(LocalAssay assay) {
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  assay.close();
                  ended.countDown();
                }));
    return ended;
  }

  /** Checks the port before anything takes time. */
  private void checkPort() throws MachineException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()));
    } catch (IOException e) {
      throw new MachineException(
          "port "
              + settings.port()
              + " is taken, perhaps by another 'assay local': choose another with --port, or 0 for"
              + " any that is free",
          e);
    }
  }

  private void offerData(LocalAssay assay) throws IOException, InterruptedException {
    if (options.demo) {
      assay.offer(SampleData.dataset());
    }
    if (settings.data() != null) {
      OfferedData offered = OfferedData.read(settings.data(), progress, loadCommand(assay));
      offered.offer(assay);
      offered.awaitLoaded(assay);
    }
  }

  private String loadCommand(LocalAssay assay) {
    return options.command
        + " datasets load"
        + (settings.port() == LocalSettings.DEFAULT_PORT ? "" : " --endpoint " + assay.endpoint());
  }

  private void tellHowToUse(LocalAssay assay) {
    out.println();
    ClientConfiguration.lines(assay.endpoint(), LocalKey.ofUser().file(), options.command)
        .forEach(out::println);
    out.println("kubectl          KUBECONFIG=" + assay.kubeconfig() + " kubectl get assay");
    out.println();
    out.println(
        "Ctrl-C ends it"
            + (settings.state() == null
                ? ", with all runs and datasets."
                : "; runs and datasets are kept."));
  }
}
