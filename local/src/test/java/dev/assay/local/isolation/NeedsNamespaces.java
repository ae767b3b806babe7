package dev.assay.local.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Leaves tests out where the machine lets this user make no namespaces. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsNamespaces.Condition.class)
public @interface NeedsNamespaces {
  /** Tries it once. */
  final class Condition implements ExecutionCondition {
    private static final boolean ALLOWED = isAllowed();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return ALLOWED
          ? ConditionEvaluationResult.enabled("namespaces can be made")
          : ConditionEvaluationResult.disabled("this machine lets this user make no namespaces");
    }

    private static boolean isAllowed() {
      try {
        return IsolationDetection.detect("python3") == Isolation.NAMESPACES;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
