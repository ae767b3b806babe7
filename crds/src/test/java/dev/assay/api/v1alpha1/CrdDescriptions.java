package dev.assay.api.v1alpha1;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;

/** Puts the comments of the types into the schemas, for {@code kubectl explain}. */
final class CrdDescriptions {
  private CrdDescriptions() {}

  static void add(JSONSchemaProps root, Class<? extends HasMetadata> kind) {
    root.setDescription(Javadoc.of(kind));
    ParameterizedType resource = (ParameterizedType) kind.getGenericSuperclass();
    Type[] types = resource.getActualTypeArguments();
    describe(root.getProperties().get("spec"), (Class<?>) types[0]);
    if (types[1] != Void.class) {
      describe(root.getProperties().get("status"), (Class<?>) types[1]);
    }
  }

  private static void describe(JSONSchemaProps schema, Class<?> type) {
    schema.setDescription(Javadoc.of(type));
    describeFields(schema, type);
  }

  private static void describeFields(JSONSchemaProps schema, Class<?> type) {
    for (RecordComponent component : type.getRecordComponents()) {
      JSONSchemaProps field = schema.getProperties().get(component.getName());
      field.setDescription(Javadoc.of(type, component.getName()));
      Class<?> element = elementOf(component);
      if (element.isRecord()) {
        describeFields(field.getItems() == null ? field : field.getItems().getSchema(), element);
      }
    }
  }

  /** Of a list what is in it, else the type itself. */
  private static Class<?> elementOf(RecordComponent component) {
    return component.getGenericType() instanceof ParameterizedType generic
            && generic.getActualTypeArguments()[0] instanceof Class<?> element
        ? element
        : component.getType();
  }
}
