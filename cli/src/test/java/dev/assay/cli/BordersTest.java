package dev.assay.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BordersTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.assay.cli");

  @Test
  void onlyLocalModeKnowsTheOperatorAndTheFrontEnd() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.assay.cli.local")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.assay.operator..",
            "dev.assay.frontend..",
            "dev.assay.gateway..",
            "dev.assay.local..")
        .check(CLASSES);
  }

  @Test
  void whatTalksToAnEndpointKnowsNothingOfTheCommandLine() {
    classes()
        .that()
        .resideInAPackage("dev.assay.cli.client")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "tools.jackson..", "org.jspecify..", "dev.assay.cli.client")
        .check(CLASSES);
  }

  @Test
  void packagesDependOnEachOtherInOneDirection() {
    SlicesRuleDefinition.slices()
        .matching("dev.assay.cli.(*)..")
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }

  /**
   * Here, where all modules are known. The operator has a rule of its own, with exceptions; the
   * builders of the API's records are generated.
   */
  @Test
  void nothingIsMadeOfMoreThanSixThings() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.assay");
    assertThat(all.stream().map(type -> type.getPackageName()))
        .contains(
            "dev.assay.cli",
            "dev.assay.frontend",
            "dev.assay.gateway",
            "dev.assay.jvm.job",
            "dev.assay.local.api.http");
    assertThat(
            all.stream()
                .filter(type -> !type.getPackageName().startsWith("dev.assay.operator"))
                .filter(type -> !type.getPackageName().equals("dev.assay.api.v1alpha1"))
                .filter(type -> !type.isRecord() && !type.isEnum())
                .flatMap(type -> type.getConstructors().stream())
                .filter(made -> made.getRawParameterTypes().size() > 6)
                .map(made -> made.getOwner().getName()))
        .as("classes with constructors of more than six arguments")
        .isEmpty();
  }
}
