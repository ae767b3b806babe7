package dev.assay.frontend.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list that may be absent, and may not be written without a value: in a list that limits
 * something, none and nothing said are opposites.
 */
public final class ListWithValue extends JsonDeserializer<List<?>>
    implements ContextualDeserializer {
  private final @Nullable BeanProperty property;
  private final @Nullable JsonDeserializer<?> lists;

  /** Made by the library. */
  public ListWithValue() {
    this(null, null);
  }

  private ListWithValue(@Nullable BeanProperty property, @Nullable JsonDeserializer<?> lists) {
    this.property = property;
    this.lists = lists;
  }

  @Override
  public JsonDeserializer<?> createContextual(DeserializationContext context, BeanProperty property)
      throws JsonMappingException {
    return new ListWithValue(
        property, context.findContextualValueDeserializer(property.getType(), property));
  }

  @Override
  public List<?> deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    if (lists == null) {
      throw new IllegalStateException("it is of no property");
    }
    return (List<?>) lists.deserialize(parser, context);
  }

  @Override
  public List<?> getNullValue(DeserializationContext context) throws JsonMappingException {
    @Nullable JavaType type = property == null ? null : property.getType();
    throw InvalidNullException.from(
        context, property == null ? null : property.getFullName(), type);
  }

  @Override
  public @Nullable Object getAbsentValue(DeserializationContext context) {
    return null;
  }
}
