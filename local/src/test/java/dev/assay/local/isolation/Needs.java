package dev.assay.local.isolation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Leaves tests out where the machine does not let this user isolate containers so. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.Condition.class)
public @interface Needs {
  /** What the tests isolate containers by. */
  Isolation value();

  /** Asks the machine. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Isolation isolation = context.getRequiredTestClass().getAnnotation(Needs.class).value();
      return PossibleIsolation.works(isolation)
          ? ConditionEvaluationResult.enabled(isolation + " works")
          : ConditionEvaluationResult.disabled(
              isolation + " does not work here, or not for this user");
    }
  }
}
