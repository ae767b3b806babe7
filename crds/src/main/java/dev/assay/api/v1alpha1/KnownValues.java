package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.stream.Stream;

/** The constants of an enum that objects can have, without the one for those of newer versions. */
public final class KnownValues {
  private KnownValues() {}

  /** In their order. */
  public static <E extends Enum<E>> List<E> of(Class<E> type) {
    return Stream.of(type.getEnumConstants()).filter(KnownValues::isKnown).toList();
  }

  static boolean isKnown(Enum<?> constant) {
    try {
      return !constant
          .getDeclaringClass()
          .getField(constant.name())
          .isAnnotationPresent(JsonIgnore.class);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }
}
