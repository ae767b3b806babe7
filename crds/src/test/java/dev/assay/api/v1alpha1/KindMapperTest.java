package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KindMapperTest {
  /** They are in no object. */
  private static final Set<String> NOT_IN_OBJECTS = Set.of("FrameFile");

  private static final String RUN =
      """
      {"apiVersion": "assay.dev/v1alpha1", "kind": "AnalyticsRun",
       "metadata": {"name": "r", "newInMetadata": 1},
       "spec": {"language": "rust", "code": "x", "mode": "turbo", "newInSpec": {"a": [1]},
                "files": [{"path": "a", "text": "b", "newInFile": true}]},
       "status": {"phase": "Paused", "reason": "NewReason", "newInStatus": "x",
                  "payloadStarted": "Partly",
                  "pod": {"name": "p", "uid": "u", "newInPod": 1}},
       "newInRun": 1}
      """;

  private final KubernetesSerialization kinds =
      new KubernetesSerialization(KindMapper.create(), false);

  @Test
  void aRunOfANewerVersionIsReadWithoutWhatIsNotKnown() {
    AnalyticsRun run = kinds.unmarshal(RUN, AnalyticsRun.class);

    assertThat(run.getSpec().language()).isEqualTo(Language.UNKNOWN);
    assertThat(run.getSpec().mode()).isEqualTo(RunMode.UNKNOWN);
    assertThat(run.getSpec().fileList()).containsExactly(new RunFile("a", "b"));
    assertThat(run.getStatus().phase()).isEqualTo(RunPhase.Unknown);
    assertThat(run.getStatus().reason()).isEqualTo(RunReason.Unknown);
    assertThat(run.getStatus().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertThat(run.getStatus().pod().name()).isEqualTo("p");
  }

  @Test
  void aCopyOfSuchARunIsEqual() {
    AnalyticsRun run = kinds.unmarshal(RUN, AnalyticsRun.class);

    AnalyticsRun copy = kinds.clone(run);

    assertThat(copy.getSpec()).isEqualTo(run.getSpec());
    assertThat(copy.getStatus()).isEqualTo(run.getStatus());
  }

  @Test
  void constantsThatAreNotKnownStayInTheirLists() {
    RunClass runClass =
        kinds.unmarshal(
            """
            {"apiVersion": "assay.dev/v1alpha1", "kind": "RunClass", "metadata": {"name": "c"},
             "spec": {"purpose": "Run", "languages": ["python", "rust"]}}
            """,
            RunClass.class);

    assertThat(runClass.getSpec().languages()).containsExactly(Language.PYTHON, Language.UNKNOWN);
  }

  static Stream<Class<?>> enumsOfObjects() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackagesOf(AnalyticsRun.class)
            .stream()
            .filter(JavaClass::isEnum)
            .filter(type -> !NOT_IN_OBJECTS.contains(type.getSimpleName()))
            .map(JavaClass::reflect);
  }

  @ParameterizedTest
  @MethodSource("enumsOfObjects")
  void eachEnumHasAConstantForThoseThatAreNotKnown(Class<?> type) throws Exception {
    Object constant =
        KindMapper.create()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .readValue("\"SomethingNew\"", type);

    assertThat(constant.getClass().getField(((Enum<?>) constant).name()))
        .satisfies(
            field -> assertThat(field.isAnnotationPresent(JsonEnumDefaultValue.class)).isTrue());
  }

  @ParameterizedTest
  @MethodSource("enumsOfObjects")
  void noObjectMayHaveTheConstantForThoseThatAreNotKnown(Class<?> type) {
    if (type != PayloadStarted.class) {
      assertThat(known(type)).isNotEmpty().doesNotContain("UNKNOWN", "Unknown");
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Set<String> known(Class<?> type) {
    List<Enum<?>> known = KnownValues.of((Class) type);
    return known.stream().map(Enum::name).collect(Collectors.toSet());
  }
}
