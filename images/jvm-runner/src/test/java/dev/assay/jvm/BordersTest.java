package dev.assay.jvm;

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
          .importPackages("dev.assay.jvm");

  @Test
  void noPackageKnowsItselfByOthers() {
    slices().matching("dev.assay.jvm.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void jobsAndTablesKnowNeitherTheEngineNorTheSocket() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.assay.jvm.job..", "dev.assay.jvm.table..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.assay.jvm.engine..", "dev.assay.jvm.control..", "dev.assay.jvm.sql..")
        .check(CLASSES);
  }
}
