package dev.assay.local;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What may know what. */
@Tag("slow")
class BordersTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.assay");

  @Test
  void operatorAndFrontEndAreNotKnown() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.local..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.assay.operator..", "dev.assay.frontend..")
        .check(CLASSES);
  }

  @Test
  void onlyTheHttpPackageAndTheServerKnowJetty() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.local.api..")
        .and()
        .resideOutsideOfPackages("dev.assay.local.api.http..", "dev.assay.local.api")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.eclipse.jetty..")
        .check(CLASSES);
  }

  @Test
  void onlyTheSchemaPackageKnowsCel() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.assay.local.api.schema..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.cel..")
        .check(CLASSES);
  }

  @Test
  void whatIsPureNeedsNeitherInputNorOutputNorTheStorage() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.assay.local.api.patch..",
            "dev.assay.local.api.schema..",
            "dev.assay.local.api.selector..",
            "dev.assay.local.api.status..",
            "dev.assay.local.api.table..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.io..", "java.net..", "java.nio.file..", "dev.assay.local.api.storage..")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.assay.local.api.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void theKubeletKnowsOfTheServerOnlyWhatItIsAskedForLogs() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.local.kubelet..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.assay.local.api..")
                .and(
                    not(
                        resideInAnyPackage(
                            "dev.assay.local.api.kubelet..", "dev.assay.local.api.status.."))))
        .check(CLASSES);
  }

  @Test
  void theServerKnowsNothingOfHowPodsAreRun() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.local.api..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.assay.local.kubelet..", "dev.assay.local.isolation..")
        .check(CLASSES);
  }

  @Test
  void isolationKnowsNothingOfKubernetes() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.local.isolation..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.fabric8..", "dev.assay.local.api..", "dev.assay.local.kubelet..")
        .check(CLASSES);
  }
}
