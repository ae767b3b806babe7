package dev.assay.operator;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.http.HttpClient;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BordersTest {
  private static final JavaClasses ASSAY =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.assay");

  private static final Set<String> PURE_NAMES =
      Set.of(
          "Arrivals",
          "CallArguments",
          "CallHistory",
          "CallPolicy",
          "CallRecord",
          "CallRecords",
          "ClassChoice",
          "CrdDecision",
          "WithheldPods",
          "PodOfRun",
          "PoolPlanner",
          "PoolPod",
          "PoolStatus",
          "PoolTemplate",
          "PoolView",
          "RunAdmission",
          "RunLimits",
          "Rendezvous",
          "RunState",
          "RunToolPolicy",
          "RunTransitions",
          "StartTime",
          "StartedRuns",
          "StatusTimes",
          "StoreOutageTransitions",
          "RunConditions",
          "Ending",
          "Endings",
          "RunOutput",
          "OutputIndex",
          "OutputRetention",
          "DatasetChecks",
          "DatasetTransitions",
          "SnapshotDescription",
          "SnapshotIdentity",
          "SnapshotsInUse",
          "CleanupHistory",
          "KeyRing",
          "ToolApprovals",
          "ToolServerStates");

  /** Put things together, and decide nothing: one a package at most. */
  private static final Set<String> COMPOSITION_ROOTS =
      Set.of(
          "dev.assay.operator.AssayOperator",
          "dev.assay.operator.dataset.Datasets",
          "dev.assay.operator.pool.Pools",
          "dev.assay.operator.run.RunPath",
          "dev.assay.operator.tool.ToolCalls");

  private static final int MAX_ARGUMENTS = 6;

  private static final DescribedPredicate<JavaClass> PURE =
      DescribedPredicate.describe(
          "decide and build only",
          type -> {
            String outermost = type.getName().replaceFirst("\\$.*", "");
            String simple = outermost.substring(outermost.lastIndexOf('.') + 1);
            return PURE_NAMES.contains(simple)
                || type.getPackageName().equals("dev.assay.operator.pod")
                || type.getPackageName().equals("dev.assay.operator.run.machine");
          });

  @Test
  void theKindsDependOnNothingElseOfAssay() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.api..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.assay..")
                .and(DescribedPredicate.not(resideInAPackage("dev.assay.api.."))))
        .check(ASSAY);
  }

  @Test
  void everyClassThatIsCalledPureIsThere() {
    assertThat(ASSAY.stream().filter(PURE).map(JavaClass::getSimpleName))
        .containsAll(PURE_NAMES)
        .contains("RunnerPod", "PodState");
  }

  @Test
  void whatDecidesKnowsNeitherClientNorNetwork() {
    noClasses()
        .that(PURE)
        .should()
        .dependOnClassesThat()
        .areAssignableTo(KubernetesClient.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(HttpClient.class)
        .check(ASSAY);
  }

  @Test
  void whatDecidesReadsNeitherEnvironmentNorClock() {
    noClasses()
        .that(PURE)
        .should()
        .callMethod(System.class, "getenv", String.class)
        .orShould()
        .callMethod(System.class, "getenv")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(Clock.class, "systemUTC")
        .orShould()
        .callMethod(Clock.class, "systemDefaultZone")
        .check(ASSAY);
  }

  @Test
  void theClockIsMadeInOnePlace() {
    noClasses()
        .that(DescribedPredicate.not(simpleName("Main")))
        .should()
        .callMethod(Clock.class, "systemUTC")
        .orShould()
        .callMethod(Instant.class, "now")
        .check(ASSAY);
  }

  @Test
  void onlyTheEndpointMakesCertificatesAndOnlyKeysSign() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.assay.operator.endpoint", "dev.assay.operator.signing")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.bouncycastle..")
        .check(ASSAY);
  }

  @Test
  void packagesFormNoCycle() {
    slices().matching("dev.assay.operator.(*)..").should().beFreeOfCycles().check(ASSAY);
  }

  @Test
  void theStepsOfTheRunPathFormNoCycle() {
    slices().matching("dev.assay.operator.run.(*)..").should().beFreeOfCycles().check(ASSAY);
  }

  @Test
  void theStepsOfTheRunPathAndThePoolsCanEachBeReadInOneSitting() {
    Map<String, Long> classes =
        ASSAY.stream()
            .filter(resideInAnyPackage("dev.assay.operator.run.*", "dev.assay.operator.pool"))
            .filter(type -> type.isTopLevelClass() && !type.isRecord())
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(groupingBy(JavaClass::getPackageName, counting()));
    assertThat(classes).isNotEmpty().allSatisfy((step, size) -> assertThat(size).isLessThan(26));
  }

  @Test
  void noStepOfTheRunPathKnowsWhatPutsThemTogether() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.operator.run.*")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.assay.operator.run")
        .check(ASSAY);
  }

  @Test
  void whatARunLeavesKnowsNothingOfItsBinding() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.operator.run.results")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.assay.operator.run.execution", "dev.assay.operator.run.placement")
        .orShould()
        .dependOnClassesThat(simpleName("RunStatusWriter"))
        .check(ASSAY);
  }

  @Test
  void onlyCompositionRootsAreMadeOfMoreThanSixThings() {
    assertThat(
            ASSAY.stream()
                .filter(type -> type.getPackageName().startsWith("dev.assay.operator"))
                .filter(type -> !type.isRecord() && !type.isEnum())
                .flatMap(type -> type.getConstructors().stream())
                .filter(made -> made.getRawParameterTypes().size() > MAX_ARGUMENTS)
                .map(made -> made.getOwner().getName())
                .filter(name -> !COMPOSITION_ROOTS.contains(name)))
        .as("classes with constructors of more than %d arguments", MAX_ARGUMENTS)
        .isEmpty();
  }
}
