package dev.assay.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.assay.api.kubernetes.ApiHttpClientFactory;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
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
  void onlyTheKindsAreKnownOfAssay() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.gateway..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.assay.operator..",
            "dev.assay.frontend..",
            "dev.assay.local..",
            "dev.assay.cli..",
            "dev.assay.jvm..")
        .check(CLASSES);
  }

  @Test
  void whatDecidesNeitherReadsNorWrites() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.assay.gateway.policy..",
            "dev.assay.gateway.definition..",
            "dev.assay.gateway.result..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.net.http..",
            "java.nio.file..",
            "io.fabric8.kubernetes.client.dsl..",
            "io.modelcontextprotocol..",
            "com.sun.net.httpserver..",
            "dev.assay.gateway.upstream..",
            "dev.assay.gateway.call..",
            "dev.assay.gateway.http..",
            "dev.assay.gateway.cluster..")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Clock")
        .check(CLASSES);
  }

  @Test
  void onlyTheClusterPackageAndWhatPutsItTogetherSpeakToKubernetes() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.gateway..")
        .and()
        .resideOutsideOfPackage("dev.assay.gateway.cluster..")
        .and()
        .doNotHaveFullyQualifiedName("dev.assay.gateway.Main")
        .and()
        .doNotHaveFullyQualifiedName("dev.assay.gateway.ToolGateway")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("io.fabric8.kubernetes.client.KubernetesClient")
        .check(CLASSES);
  }

  /** Else a watch whose connection a NAT has dropped would be silent for minutes. */
  @Test
  void everyClientOfTheApiServerPingsItsWatches() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.gateway..")
        .should()
        .callConstructor(KubernetesClientBuilder.class)
        .check(CLASSES);
    classes()
        .that()
        .haveFullyQualifiedName("dev.assay.gateway.Main")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ApiHttpClientFactory.class)
        .check(CLASSES);
  }

  @Test
  void packagesDoNotDependOnEachOtherInCircles() {
    slices().matching("dev.assay.gateway.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
