package dev.assay.frontend.mcp;

import com.fasterxml.classmate.ResolvedType;
import com.github.victools.jsonschema.generator.CustomDefinition;
import com.github.victools.jsonschema.generator.FieldScope;
import com.github.victools.jsonschema.generator.Option;
import com.github.victools.jsonschema.generator.OptionPreset;
import com.github.victools.jsonschema.generator.SchemaGenerationContext;
import com.github.victools.jsonschema.generator.SchemaGenerator;
import com.github.victools.jsonschema.generator.SchemaGeneratorConfigBuilder;
import com.github.victools.jsonschema.generator.SchemaVersion;
import com.github.victools.jsonschema.module.jackson.JacksonSchemaModule;
import dev.assay.api.v1alpha1.ToolCallCounts;
import org.jspecify.annotations.Nullable;

/** The JSON schema of the structured content of a tool, from the record that it returns. */
final class OutputSchema {
  private static final SchemaGenerator GENERATOR = generator();

  private OutputSchema() {}

  /**
   * The schema of a record, in which what may be null is not required. One thread at a time: the
   * generator keeps descriptions of classes that it completes without a lock.
   */
  static synchronized String of(Class<? extends Record> type) {
    return GENERATOR.generateSchema(type).toString();
  }

  private static SchemaGenerator generator() {
    var config =
        new SchemaGeneratorConfigBuilder(SchemaVersion.DRAFT_2020_12, OptionPreset.PLAIN_JSON)
            .with(new JacksonSchemaModule())
            .with(Option.INLINE_ALL_SCHEMAS, Option.MAP_VALUES_AS_ADDITIONAL_PROPERTIES)
            .without(Option.SCHEMA_VERSION_INDICATOR);
    config
        .forTypesInGeneral()
        .withPropertySorter((_, _) -> 0)
        .withCustomDefinitionProvider(OutputSchema::openEnum)
        .withCustomDefinitionProvider(OutputSchema::plainCounts);
    config.forFields().withRequiredCheck(OutputSchema::isRequired);
    return new SchemaGenerator(config.build());
  }

  /**
   * A new version may add a reason or a phase, and clients that check replies by a schema that they
   * read before would refuse it.
   */
  private static @Nullable CustomDefinition openEnum(
      ResolvedType type, SchemaGenerationContext context) {
    return type.getErasedType().isEnum()
        ? new CustomDefinition(
            context.getGeneratorConfig().createObjectNode().put("type", "string"))
        : null;
  }

  /** Every conversation has the schemas, and few runs call tools. */
  private static @Nullable CustomDefinition plainCounts(
      ResolvedType type, SchemaGenerationContext context) {
    return type.getErasedType().equals(ToolCallCounts.class)
        ? new CustomDefinition(
            context.getGeneratorConfig().createObjectNode().put("type", "object"))
        : null;
  }

  private static boolean isRequired(FieldScope field) {
    return !field.getRawMember().getAnnotatedType().isAnnotationPresent(Nullable.class);
  }
}
