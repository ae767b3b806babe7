package dev.assay.e2e.crash;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.security.ProtectionDomain;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Inserts calls of {@link CrashPoints#reached} at both ends of the operator's steps. */
public final class CrashAgent {
  private static final String OPERATOR = "dev.assay.operator.";
  private static final String ELECTION = "io.fabric8.kubernetes.client.extended.leaderelection.";

  static final List<Step> STEPS =
      List.of(
          new Step("seen", OPERATOR + "run.AnalyticsRunReconciler", "reconcile"),
          new Step("take", OPERATOR + "kubernetes.RunnerPods", "create"),
          new Step("execute", OPERATOR + "run.execution.RunDispatcher", "execute"),
          new Step("hello", OPERATOR + "runner.RunnerSession", "hello"),
          new Step("stage", OPERATOR + "runner.RunnerClient", "stage"),
          new Step("write", OPERATOR + "kubernetes.StatusWriter", "patch"),
          new Step("start", OPERATOR + "runner.RunnerSession", "start"),
          new Step("adopt", OPERATOR + "kubernetes.RunnerPods", "adopt"),
          new Step("event", OPERATOR + "output.FileOutputStore", "append"),
          new Step("artifact", OPERATOR + "output.RunOutputs", "storeArtifacts"),
          new Step("finish", OPERATOR + "output.FileOutputStore", "finish"),
          new Step("ack", OPERATOR + "runner.RunnerClient", "ack"),
          new Step("call", OPERATOR + "tool.HttpGatewayClient", "call"),
          new Step("outcome", OPERATOR + "output.RunOutputs", "putOutcome"),
          new Step("deliver", OPERATOR + "runner.RunnerClient", "toolResult"),
          new Step("renew", ELECTION + "LeaderElector", "tryAcquireOrRenew"));

  private CrashAgent() {}

  /** Called by the JVM before the operator's own main method. */
  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    if (Files.exists(CrashPoints.PLAN)) {
      // The container was restarted after the crash: the other replica must take over.
      CrashPoints.crash();
    }
    STEPS.forEach(CrashAgent::check);
    instrumentation.addTransformer(new Transformer());
  }

  /** A step whose method was renamed would never be reached, without any error. */
  static void check(Step step) {
    try (InputStream bytes = ClassLoader.getSystemResourceAsStream(step.resource())) {
      if (bytes == null
          || ClassFile.of().parse(bytes.readAllBytes()).methods().stream()
              .noneMatch(method -> method.methodName().equalsString(step.method()))) {
        throw new IllegalStateException("The operator has no " + step);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Transformer implements ClassFileTransformer {
    private static final ClassDesc CRASH_POINTS =
        ClassDesc.of(CrashAgent.class.getPackageName() + ".CrashPoints");

    @Override
    public byte @Nullable [] transform(
        @Nullable ClassLoader loader,
        String internalName,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] bytes) {
      List<Step> steps =
          STEPS.stream().filter(step -> step.resource().equals(internalName + ".class")).toList();
      return steps.isEmpty() ? null : new StepCalls(CRASH_POINTS, steps).insert(bytes);
    }
  }
}
