package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import dev.assay.api.v1alpha1.InlineSource;
import dev.assay.api.v1alpha1.KindMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the operator's client deserializes objects: without large fields that no decision depends on.
 * Code, input, files and inline tables become empty ({@link NewRuns} has them for a while);
 * results, artifacts, long annotations and the statuses of nodes are left out. So caches of
 * thousands of runs stay small. {@link WholeObjects} reads a complete object.
 */
@SuppressWarnings("UnusedMethod") // Jackson reads the annotations of the mix-ins.
public final class CacheSerialization extends KubernetesSerialization {
  /** The one that kubectl writes contains the whole object again. */
  private static final int MAX_ANNOTATION = 256;

  private static final int MAX_ANNOTATIONS = 64;

  private final NewRuns newRuns;

  private CacheSerialization(NewRuns newRuns) {
    super(mapper(newRuns), true);
    this.newRuns = newRuns;
  }

  /** Creates the serialization for a client with informers. */
  public static CacheSerialization create() {
    return new CacheSerialization(new NewRuns());
  }

  /** The specs of the runs that were just created. */
  NewRuns newRuns() {
    return newRuns;
  }

  private static ObjectMapper mapper(NewRuns newRuns) {
    ObjectMapper mapper = KindMapper.create();
    mapper.registerModule(new LightRuns(newRuns));
    mapper.addMixIn(InlineSource.class, WithoutText.class);
    mapper.addMixIn(ObjectMeta.class, LightMetadata.class);
    mapper.addMixIn(Node.class, WithoutStatus.class);
    return mapper;
  }

  private interface WithoutText {
    @JsonDeserialize(using = EmptyText.class)
    String text();
  }

  @JsonIgnoreProperties("status")
  private interface WithoutStatus {}

  @JsonIgnoreProperties("managedFields")
  private interface LightMetadata {
    @JsonDeserialize(using = ShortAnnotations.class)
    @Nullable Map<String, String> getAnnotations();

    @JsonDeserialize(using = ShortAnnotations.class)
    void setAnnotations(@Nullable Map<String, String> annotations);
  }

  /** Skips annotations that are too long or too many. */
  static final class ShortAnnotations extends StdDeserializer<Map<String, String>> {
    private static final long serialVersionUID = 1;

    ShortAnnotations() {
      super(Map.class);
    }

    @Override
    public Map<String, String> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      Map<String, String> kept = new LinkedHashMap<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        String value = parser.getValueAsString("");
        if (value.length() <= MAX_ANNOTATION && kept.size() < MAX_ANNOTATIONS) {
          kept.put(name, value);
        }
      }
      return kept;
    }
  }

  /** Skips a text. */
  static final class EmptyText extends StdDeserializer<String> {
    private static final long serialVersionUID = 1;

    EmptyText() {
      super(String.class);
    }

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      parser.skipChildren();
      return "";
    }
  }
}
