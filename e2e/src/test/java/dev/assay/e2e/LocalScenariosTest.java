package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;
import static org.junit.platform.commons.support.AnnotationSupport.findRepeatableAnnotations;
import static org.junit.platform.commons.support.AnnotationSupport.isAnnotated;
import static org.junit.platform.commons.support.HierarchyTraversalMode.TOP_DOWN;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.ReflectionSupport;

/** Which scenarios are run in local mode. */
class LocalScenariosTest {
  private static final Pattern ABOUT_SCRIPTS =
      Pattern.compile("dev\\.assay\\.e2e\\.(Tool|Script|CodeExecution|JavaScript)\\w*E2E");

  @Test
  void aScenarioAboutScriptsOrToolsRunsInLocalModeOrSaysWhyNot() {
    List<Method> scenarios =
        ReflectionSupport.findAllClassesInPackage(
                "dev.assay.e2e", found -> true, name -> ABOUT_SCRIPTS.matcher(name).matches())
            .stream()
            .flatMap(
                found ->
                    ReflectionSupport.findMethods(
                        found, method -> isAnnotated(method, Testable.class), TOP_DOWN)
                        .stream())
            .toList();

    assertThat(scenarios)
        .hasSizeGreaterThan(40)
        .allSatisfy(
            scenario ->
                assertThat(isLocal(scenario)).as("local mode").isNotEqualTo(hasReason(scenario)));
  }

  private static boolean isLocal(Method scenario) {
    return of(scenario)
        .flatMap(element -> findRepeatableAnnotations(element, Tag.class).stream())
        .anyMatch(tag -> tag.value().equals("local"));
  }

  private static boolean hasReason(Method scenario) {
    return of(scenario)
        .flatMap(element -> findAnnotation(element, ClusterOnly.class).stream())
        .anyMatch(reason -> !reason.value().isBlank());
  }

  private static Stream<AnnotatedElement> of(Method scenario) {
    return Stream.of(scenario, scenario.getDeclaringClass());
  }
}
