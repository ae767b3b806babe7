package dev.assay.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Generates the CRDs from the Java types, and completes what the generator leaves out. */
final class CrdManifests {
  /** Bounds for members of Kubernetes' own types, which the annotations cannot reach. */
  private static final long DEFAULT_MAX_LENGTH = 4096;

  private static final long DEFAULT_MAX_ITEMS = 64;

  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(AnalyticsRun.class, Dataset.class, RunClass.class, ToolServer.class);

  private static final Pattern REVISION = Pattern.compile("/crd-revision: \"(\\d+)\"");

  private CrdManifests() {}

  /**
   * File name to YAML.
   *
   * @param before those of the last time: what has changed since has a higher revision
   */
  static Map<String, String> generate(Path scratch, Map<String, String> before) {
    Map<String, String> manifests = new TreeMap<>();
    for (Class<? extends HasMetadata> kind : KINDS) {
      CustomResourceDefinition crd = generate(kind, scratch);
      CustomResourceDefinitionVersion version = crd.getSpec().getVersions().getFirst();
      version.setAdditionalPrinterColumns(
          inDeclaredOrder(kind, version.getAdditionalPrinterColumns()));
      JSONSchemaProps root = version.getSchema().getOpenAPIV3Schema();
      root.setRequired(List.of("spec"));
      complete(root);
      ImmutabilityRule.add(root.getProperties().get("spec"), specOf(kind));
      CrdDescriptions.add(root, kind);
      String file = crd.getMetadata().getName() + ".yaml";
      String last = before.getOrDefault(file, "");
      Matcher revision = REVISION.matcher(last);
      int number = revision.find() ? Integer.parseInt(revision.group(1)) : 0;
      String same = asYaml(crd, number);
      manifests.put(file, same.equals(last) ? same : asYaml(crd, number + 1));
    }
    return manifests;
  }

  /** The upgrade of a cluster leaves a CRD with a higher revision in place. */
  private static String asYaml(CustomResourceDefinition crd, int revision) {
    crd.getMetadata().setAnnotations(Map.of("assay.dev/crd-revision", Integer.toString(revision)));
    return Serialization.asYaml(crd);
  }

  private static Class<?> specOf(Class<? extends HasMetadata> kind) {
    return (Class<?>) ((ParameterizedType) kind.getGenericSuperclass()).getActualTypeArguments()[0];
  }

  private static CustomResourceDefinition generate(
      Class<? extends HasMetadata> kind, Path scratch) {
    Path directory = scratch.resolve(kind.getSimpleName());
    try {
      Files.createDirectories(directory);
      new CRDGenerator()
          .customResourceClasses(kind)
          .forCRDVersions("v1")
          .inOutputDir(directory.toFile())
          .generate();
      try (Stream<Path> files = Files.list(directory)) {
        return Serialization.unmarshal(
            Files.readString(files.findFirst().orElseThrow()), CustomResourceDefinition.class);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The generator sorts columns by name; people read them in the order they were declared. */
  private static List<CustomResourceColumnDefinition> inDeclaredOrder(
      Class<?> kind, List<CustomResourceColumnDefinition> columns) {
    List<String> declared =
        Stream.of(kind.getAnnotationsByType(AdditionalPrinterColumn.class))
            .map(AdditionalPrinterColumn::name)
            .toList();
    return columns.stream()
        .sorted(Comparator.comparingInt(column -> declared.indexOf(column.getName())))
        .toList();
  }

  private static void complete(JSONSchemaProps schema) {
    if ("string".equals(schema.getType())
        && schema.getMaxLength() == null
        && schema.getEnum().isEmpty()) {
      schema.setMaxLength(DEFAULT_MAX_LENGTH);
    }
    if ("array".equals(schema.getType())) {
      if (schema.getMaxItems() == null) {
        schema.setMaxItems(DEFAULT_MAX_ITEMS);
      }
      complete(schema.getItems().getSchema());
    }
    if (Boolean.TRUE.equals(schema.getXKubernetesPreserveUnknownFields())) {
      // The API server drops a null otherwise, and pandas has options that mean something by it.
      schema.setNullable(true);
    }
    if (schema.getAdditionalProperties() != null) {
      if (schema.getMaxProperties() == null) {
        schema.setMaxProperties(DEFAULT_MAX_ITEMS);
      }
      complete(schema.getAdditionalProperties().getSchema());
    }
    if (schema.getProperties() != null) {
      schema.getProperties().values().forEach(CrdManifests::complete);
    }
  }
}
