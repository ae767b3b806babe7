package dev.assay.frontend;

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
  void theOperatorIsNotKnown() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.frontend..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.assay.operator..")
        .check(CLASSES);
  }

  @Test
  void onlyTheClusterPackageAndWhatPutsItTogetherSpeakToKubernetes() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.frontend..")
        .and()
        .resideOutsideOfPackage("dev.assay.frontend.cluster..")
        .and()
        .doNotHaveFullyQualifiedName("dev.assay.frontend.Main")
        .and()
        .doNotHaveFullyQualifiedName("dev.assay.frontend.KubernetesCluster")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.fabric8.kubernetes.client.dsl..", "io.fabric8.kubernetes.client.informers..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("io\\.fabric8\\.kubernetes\\.client\\.Kubernetes.*")
        .check(CLASSES);
  }

  @Test
  void toolsRestAndTextsKnowNeitherHttpNorTheProtocol() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.assay.frontend.tool..",
            "dev.assay.frontend.analytics..",
            "dev.assay.frontend.artifact..",
            "dev.assay.frontend.token..",
            "dev.assay.frontend.rest..",
            "dev.assay.frontend.argument..",
            "dev.assay.frontend.run..",
            "dev.assay.frontend.dataset..",
            "dev.assay.frontend.call..",
            "dev.assay.frontend.watch..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "jakarta..",
            "org.eclipse.jetty..",
            "io.modelcontextprotocol..",
            "dev.assay.frontend.http..",
            "dev.assay.frontend.mcp..",
            "java.net.http..")
        .check(CLASSES);
  }

  @Test
  void theTextsOfRepliesAreMadeWithoutInputOrOutput() {
    noClasses()
        .that()
        .haveNameMatching(
            "dev\\.assay\\.frontend\\.(run\\.(RunReply|OutputText|Text|RunProgress|RunPage|RunState|RunText|RunDocument|RunSummary)"
                + "|dataset\\.(DatasetText|DatasetState|DatasetDocument)"
                + "|argument\\..*"
                + "|artifact\\.(Artifact|ImageHeader)"
                + "|rest\\.(Answer|ArtifactDocument|ByteRange|ErrorDocument|Page|Route))")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.io..", "java.net..", "java.nio.file..", "org.slf4j..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching(".*(Gateway|Store|Subscription)")
        .check(CLASSES);
  }

  @Test
  void toolsAndRestKnowNothingOfEachOther() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.frontend.rest..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.assay.frontend.tool..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.assay.frontend.tool..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.assay.frontend.rest..")
        .check(CLASSES);
  }

  /** Else a watch whose connection a NAT has dropped would be silent for minutes. */
  @Test
  void everyClientOfTheApiServerPingsItsWatches() {
    noClasses()
        .that()
        .resideInAPackage("dev.assay.frontend..")
        .should()
        .callConstructor(KubernetesClientBuilder.class)
        .check(CLASSES);
    classes()
        .that()
        .haveFullyQualifiedName("dev.assay.frontend.Main")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ApiHttpClientFactory.class)
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.assay.frontend.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
